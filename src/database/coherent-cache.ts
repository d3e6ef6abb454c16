import { LRUCache } from 'lru-cache';
import type { Topic, Topics } from './notification-topics.js';
import type { Notifications } from './notifications.js';

/** However good the line for wake-ups is, nothing is believed for longer. */
const MAX_AGE_MS = 60_000;
/** What was read this recently cannot break the promise that a change holds within one second. */
const ALWAYS_FRESH_MS = 800;

interface Entry<V> {
  readonly value: V;
  readonly loadedAtMs: number;
}

/**
 * Remembers what was read from the database, so that a change committed on any replica holds here within one second: a
 * wake-up drops the entries it concerns, and while wake-ups cannot be heard an entry lives shorter than that.
 */
export class CoherentCache<V extends object, K extends Topic> {
  private readonly entries: LRUCache<string, Entry<V>>;
  private changes = 0;

  constructor(
    private readonly notifications: Notifications,
    options: {
      maxEntries: number;
      /** The wake-up that announces a change. */
      topic: K;
      /** Whether a change of this kind concerns an entry. */
      concerns: (value: V, change: Topics[K]) => boolean;
    },
  ) {
    this.entries = new LRUCache({ max: options.maxEntries });
    notifications.on(options.topic, (change) => this.forgetAll((value) => options.concerns(value, change)));
    notifications.onInterruption(() => this.forgetAll(() => true));
  }

  /** The value under `key`, read with `load` when it is not known or not known well enough. null is not remembered. */
  async get(key: string, load: () => Promise<V | null>): Promise<V | null> {
    const known = this.entries.get(key);
    if (known && this.isFresh(known)) return known.value;
    const loadedAtMs = performance.now();
    const changesBefore = this.changes;
    const value = await load();
    // A change that was announced meanwhile may not be in what was read.
    if (value === null || this.changes !== changesBefore) this.entries.delete(key);
    else this.entries.set(key, { value, loadedAtMs });
    return value;
  }

  /** Drops what is known under `key`, ahead of the wake-up that says so. */
  forget(key: string): void {
    this.changes++;
    this.entries.delete(key);
  }

  private isFresh(entry: Entry<V>): boolean {
    const ageMs = performance.now() - entry.loadedAtMs;
    return ageMs < ALWAYS_FRESH_MS || (ageMs < MAX_AGE_MS && this.notifications.lagMs < ALWAYS_FRESH_MS);
  }

  private forgetAll(concerns: (value: V) => boolean): void {
    this.changes++;
    for (const [key, { value }] of this.entries) if (concerns(value)) this.entries.delete(key);
  }
}
