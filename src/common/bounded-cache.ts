import { LRUCache } from 'lru-cache';

/** Keeps the `maxEntries` that were used last. Memory grows with use: with `max`, lru-cache reserves all of it at once. */
export function boundedCache<Value extends object | string | number | boolean>(
  maxEntries: number,
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
