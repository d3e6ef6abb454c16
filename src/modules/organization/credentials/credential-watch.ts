import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { credentialName, type Principal } from '../../../common/access/principal.js';
import { ForbiddenError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { Notifications } from '../../../database/notifications.js';
import { ControlsService } from '../controls/controls.service.js';
import { concernsCredential, MAX_LAG_MS } from './credential-changes.js';
import { SignInService } from './sign-in.service.js';

const CHECK_INTERVAL_MS = 500;
const CHECKS_AT_ONCE = 8;

const CHANGED = 'The credential was revoked or has changed.';
const EXPIRED = 'The credential has expired.';

/** Something that stays open after its request was authenticated: a socket or an event stream. */
interface Watched {
  readonly principal: Principal;
  readonly onGone: (reason: string) => void;
  readonly requireAllowed: () => Promise<void>;
}

/**
 * Ends what was opened with a credential, within a second after the credential was revoked, changed or expired, or after a
 * policy of the organization no longer allows it. Notifications say so at once; while they lag, the tables are polled.
 */
@Injectable()
export class CredentialWatch implements OnModuleDestroy {
  private readonly watched = new Set<Watched>();
  private readonly timer: NodeJS.Timeout;
  private isChecking = false;

  constructor(
    private readonly notifications: Notifications,
    private readonly signIn: SignInService,
    private readonly controls: ControlsService,
    private readonly clock: Clock,
  ) {
    notifications.on('credentials_changed', (change) => {
      this.endAll(({ principal }) => concernsCredential(principal, change), CHANGED);
    });
    notifications.on('controls_changed', ({ orgId }) => {
      for (const each of this.watched) if (each.principal.orgId === orgId) void this.endUnlessAllowed(each);
    });
    notifications.onInterruption(() => void this.checkAll());
    this.timer = setInterval(() => this.tick(), CHECK_INTERVAL_MS);
    this.timer.unref();
  }

  /**
   * Calls `onGone` once, with a sentence for the client, when the principal may not go on. `requireAllowed` throws
   * ForbiddenError when a further policy forbids it. Returns what stops the watch.
   */
  watch(
    principal: Principal,
    onGone: (reason: string) => void,
    requireAllowed: () => Promise<void> = () => Promise.resolve(),
  ): () => void {
    const watched = { principal, onGone, requireAllowed };
    this.watched.add(watched);
    // The credential or a policy may have changed since the request was authenticated.
    void this.check([watched]);
    return () => this.watched.delete(watched);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    this.endAll((watched) => this.isExpired(watched), EXPIRED);
    if (this.notifications.lagMs > MAX_LAG_MS) void this.checkAll();
  }

  private isExpired({ principal: { expiresAt } }: Watched): boolean {
    return expiresAt !== null && expiresAt <= this.clock.now();
  }

  private async checkAll(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      const groups = byCredential(this.watched);
      for (let i = 0; i < groups.length; i += CHECKS_AT_ONCE) {
        await Promise.all(groups.slice(i, i + CHECKS_AT_ONCE).map((group) => this.check(group)));
      }
    } finally {
      this.isChecking = false;
    }
  }

  /** One read for everything opened with the same credential. After a failed read the next check decides. */
  private async check(group: readonly Watched[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const isCurrent = await this.signIn.isCurrent(first.principal).catch(() => true);
    for (const watched of group) {
      if (!isCurrent) this.end(watched, CHANGED);
      else if (this.isExpired(watched)) this.end(watched, EXPIRED);
      else await this.endUnlessAllowed(watched);
    }
  }

  private async endUnlessAllowed(watched: Watched): Promise<void> {
    try {
      await this.controls.requireAllowedAddress(watched.principal);
      await watched.requireAllowed();
    } catch (error) {
      if (error instanceof ForbiddenError) this.end(watched, error.detail);
    }
  }

  private endAll(concerns: (watched: Watched) => boolean, reason: string): void {
    for (const watched of this.watched) if (concerns(watched)) this.end(watched, reason);
  }

  private end(watched: Watched, reason: string): void {
    if (this.watched.delete(watched)) watched.onGone(reason);
  }
}

function byCredential(watched: Iterable<Watched>): Watched[][] {
  const groups = new Map<string, Watched[]>();
  for (const each of watched) {
    const { orgId, userId, role, credential } = each.principal;
    const key = [orgId, userId, role, credentialName(credential)].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}
