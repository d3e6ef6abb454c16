import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Principal } from '../common/access/principal.js';
import { Clock } from '../common/time/clock.js';
import { WakeUps } from '../database/wake-ups.js';
import { CREDENTIALS_CHANGED } from '../modules/organization/credential-changes.js';

const MAX_ENTRIES = 10_000;
/** However good the line for wake-ups is, nothing is believed for longer. */
const MAX_AGE_MS = 60_000;
/** What was read this recently cannot break the promise that a revocation holds within one second. */
const ALWAYS_FRESH_MS = 800;

interface Entry {
  readonly principal: Principal;
  /** When the credential itself ends; null: never. */
  readonly expiresAt: Date | null;
  readonly loadedAtMs: number;
}

/**
 * Remembers who is behind a credential. A revocation, deactivation or role change on any replica holds here within one
 * second: a wake-up drops the entry, and while wake-ups cannot be heard an entry lives shorter than that.
 */
@Injectable()
export class PrincipalCache {
  private readonly entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES });
  private changes = 0;

  constructor(
    private readonly wakeUps: WakeUps,
    private readonly clock: Clock,
  ) {
    wakeUps.on(CREDENTIALS_CHANGED, ({ orgId, userId }) => {
      this.forget((principal) => principal.orgId === orgId && principal.userId === userId);
    });
    wakeUps.onInterruption(() => this.forget(() => true));
  }

  /** The principal behind `key`, read with `load` when it is not known or not known well enough. */
  async get(key: string, load: () => Promise<Omit<Entry, 'loadedAtMs'> | null>): Promise<Principal | null> {
    const known = this.entries.get(key);
    if (known && this.isFresh(known)) return isExpired(known, this.clock.now()) ? null : known.principal;
    const loadedAtMs = performance.now();
    const changesBefore = this.changes;
    const loaded = await load();
    if (!loaded) {
      this.entries.delete(key);
      return null;
    }
    // A change that was announced meanwhile may not be in what was read.
    if (this.changes === changesBefore) this.entries.set(key, { ...loaded, loadedAtMs });
    return loaded.principal;
  }

  private isFresh(entry: Entry): boolean {
    const ageMs = performance.now() - entry.loadedAtMs;
    return ageMs < ALWAYS_FRESH_MS || (ageMs < MAX_AGE_MS && this.wakeUps.silenceMs < ALWAYS_FRESH_MS);
  }

  private forget(concerns: (principal: Principal) => boolean): void {
    this.changes++;
    for (const [key, entry] of this.entries) if (concerns(entry.principal)) this.entries.delete(key);
  }
}

function isExpired(entry: Entry, now: Date): boolean {
  return entry.expiresAt !== null && entry.expiresAt <= now;
}
