import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../common/bounded-cache.js';
import type { Topic, Topics } from './notification-topics.js';
import type { Notifications } from './notifications.js';

/** Upper bound for an entry, even while notifications arrive. */
const MAX_AGE_MS = 60_000;
/** Younger entries are always used: they keep the promise of one second by themselves. */
const ALWAYS_FRESH_MS = 800;
/** While notifications are later than this, only such entries are used. */
const MAX_LAG_MS = 800;

interface Entry<V> {
  readonly value: V;
  readonly loadedAtMs: number;
}

/** A cache in which changes of any replica take effect within one second, with or without notifications. */
export class CoherentCache<V extends object, K extends Topic> {
  private readonly entries: LRUCache<string, Entry<V>>;
  private changes = 0;

  constructor(
    private readonly notifications: Notifications,
    options: {
      maxEntries: number;
      topic: K;
      /** Whether the change makes an entry stale. */
      concerns: (value: V, change: Topics[K]) => boolean;
    },
  ) {
    this.entries = boundedCache<Entry<V>>(options.maxEntries);
    notifications.on(options.topic, (change) => this.forgetAll((value) => options.concerns(value, change)));
    notifications.onInterruption(() => this.forgetAll(() => true));
  }

  /** Reads with `load` on a miss. null is not cached. */
  async get(key: string, load: () => Promise<V | null>): Promise<V | null> {
    const known = this.entries.get(key);
    if (known && this.isFresh(known)) return known.value;
    const loadedAtMs = performance.now();
    const changesBefore = this.changes;
    const value = await load();
    // A change that was announced during the load may not be in its result.
    if (value === null || this.changes !== changesBefore) this.entries.delete(key);
    else this.entries.set(key, { value, loadedAtMs });
    return value;
  }

  forget(key: string): void {
    this.changes++;
    this.entries.delete(key);
  }

  private isFresh(entry: Entry<V>): boolean {
    const ageMs = performance.now() - entry.loadedAtMs;
    return ageMs < ALWAYS_FRESH_MS || (ageMs < MAX_AGE_MS && this.notifications.lagMs < MAX_LAG_MS);
  }

  private forgetAll(concerns: (value: V) => boolean): void {
    this.changes++;
    for (const [key, { value }] of this.entries) if (concerns(value)) this.entries.delete(key);
  }
}
