import { LRUCache } from 'lru-cache';

/** An LRU cache that grows with use; with the option `max`, lru-cache would allocate everything at once. */
export function boundedCache<Value extends object | string | number | boolean>(
  maxEntries: number,
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
