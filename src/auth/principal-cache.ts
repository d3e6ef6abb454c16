import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { Clock } from '../common/time/clock.js';
import { CoherentCache } from '../database/coherent-cache.js';
import { Notifications } from '../database/notifications.js';
import { concernsCredential } from '../modules/organization/credential-changes.js';

const MAX_ENTRIES = 10_000;

interface KnownCredential {
  readonly principal: Principal;
  /** When the credential itself ends; null: never. */
  readonly expiresAt: Date | null;
}

/** Remembers who is behind a credential. A revocation, deactivation or role change holds within one second. */
@Injectable()
export class PrincipalCache {
  private readonly known: CoherentCache<KnownCredential, 'credentials_changed'>;

  constructor(
    notifications: Notifications,
    private readonly clock: Clock,
  ) {
    this.known = new CoherentCache(notifications, {
      maxEntries: MAX_ENTRIES,
      topic: 'credentials_changed',
      concerns: ({ principal }, change) => concernsCredential(principal, change),
    });
  }

  /** The principal behind `key`, read with `load` when it is not known; null when the credential is no good (any more). */
  async get(key: string, load: () => Promise<KnownCredential | null>): Promise<Principal | null> {
    const credential = await this.known.get(key, load);
    if (!credential || (credential.expiresAt && credential.expiresAt <= this.clock.now())) return null;
    return credential.principal;
  }
}
