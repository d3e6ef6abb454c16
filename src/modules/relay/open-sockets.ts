import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { ForbiddenError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { Notifications } from '../../database/notifications.js';
import { CLOSE_CODE } from '../../protocol/relay-protocol.js';
import { ControlsService } from '../organization/controls/controls.service.js';
import { concernsCredential } from '../organization/credential-changes.js';
import { SignInService } from '../organization/users/sign-in.service.js';

const CHECK_INTERVAL_MS = 500;
const MAX_SILENCE_MS = 800;

interface OpenSocket {
  readonly caller: Principal;
  readonly close: (code: number, reason: string) => void;
  /** Throws ForbiddenError when a policy of the organization does not allow this socket any more. */
  readonly requireAllowed?: () => Promise<void>;
}

/**
 * Every socket of this process: closed when the credential behind it changes or ends, when a policy does not allow it any
 * more, and when the service stops.
 */
@Injectable()
export class OpenSockets implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly sockets = new Set<OpenSocket>();
  private readonly timer: NodeJS.Timeout;
  private isAsking = false;

  constructor(
    private readonly notifications: Notifications,
    private readonly signIn: SignInService,
    private readonly controls: ControlsService,
    private readonly clock: Clock,
  ) {
    notifications.on('credentials_changed', (change) => {
      this.closeAll(({ caller }) => concernsCredential(caller, change), ...CHANGED);
    });
    notifications.on('controls_changed', ({ orgId }) => {
      for (const socket of this.sockets) if (socket.caller.orgId === orgId) void this.closeUnlessAllowed(socket);
    });
    notifications.onInterruption(() => void this.askAgain());
    this.timer = setInterval(() => this.check(), CHECK_INTERVAL_MS);
    this.timer.unref();
  }

  /** Returns what has to be called when the socket has closed. */
  add(socket: OpenSocket): () => void {
    this.sockets.add(socket);
    // The credential or a policy may have changed while the socket was being opened.
    void this.closeUnlessCurrent(socket);
    return () => this.sockets.delete(socket);
  }

  beforeApplicationShutdown(): void {
    this.closeAll(() => true, CLOSE_CODE.goingAway, 'The service stops.');
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    const now = this.clock.now();
    this.closeAll(
      ({ caller }) => caller.expiresAt !== null && caller.expiresAt <= now,
      CLOSE_CODE.credentialChanged,
      'The credential has expired.',
    );
    if (this.notifications.lagMs > MAX_SILENCE_MS) void this.askAgain();
  }

  /** Changes may have been missed: wake-ups are hints, the tables are the truth. */
  private async askAgain(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      for (const socket of [...this.sockets]) await this.closeUnlessCurrent(socket);
    } finally {
      this.isAsking = false;
    }
  }

  private async closeUnlessCurrent(socket: OpenSocket): Promise<void> {
    const isCurrent = await this.signIn.isCurrent(socket.caller).catch(() => true); // the next time, then
    if (!isCurrent) socket.close(...CHANGED);
    else await this.closeUnlessAllowed(socket);
  }

  private async closeUnlessAllowed(socket: OpenSocket): Promise<void> {
    try {
      await this.controls.requireAllowedAddress(socket.caller);
      await socket.requireAllowed?.();
    } catch (error) {
      // Whatever else went wrong is tried again the next time.
      if (error instanceof ForbiddenError) socket.close(CLOSE_CODE.credentialChanged, error.detail);
    }
  }

  private closeAll(concerns: (socket: OpenSocket) => boolean, code: number, reason: string): void {
    for (const socket of this.sockets) if (concerns(socket)) socket.close(code, reason);
  }
}

const CHANGED = [CLOSE_CODE.credentialChanged, 'The credential was revoked or has changed.'] as const;
