import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { Clock } from '../common/time/clock.js';
import { CoherentCache } from '../database/coherent-cache.js';
import { Notifications } from '../database/notifications.js';
import { concernsCredential } from '../modules/organization/credentials/credential-changes.js';

const MAX_ENTRIES = 10_000;

interface KnownCredential {
  readonly principal: Principal;
  readonly expiresAt: Date | null;
}

/** Caches the principal of each credential. A revocation, deactivation or role change holds within one second. */
@Injectable()
export class PrincipalCache {
  private readonly known: CoherentCache<KnownCredential>;

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

  /** The principal cached under `key`, else what `load` finds; null when the credential is invalid or has expired. */
  async get(key: string, load: () => Promise<KnownCredential | null>): Promise<Principal | null> {
    const credential = await this.known.get(key, load);
    if (!credential || (credential.expiresAt && credential.expiresAt <= this.clock.now())) return null;
    return credential.principal;
  }
}
