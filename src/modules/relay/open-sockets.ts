import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { ForbiddenError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { Notifications } from '../../database/notifications.js';
import { CLOSE_CODE } from '../../protocol/relay-protocol.js';
import { CONTROLS_CHANGED, ControlsService } from '../organization/controls/controls.service.js';
import { concernsCredential, CREDENTIALS_CHANGED } from '../organization/credential-changes.js';
import { SignInService } from '../organization/users/sign-in.service.js';

const CHECK_INTERVAL_MS = 500;
const MAX_LAG_MS = 800;

interface OpenSocket {
  readonly caller: Principal;
  readonly close: (code: number, reason: string) => void;
  /** Throws ForbiddenError when a policy does not allow this socket any more. */
  readonly requireAllowed?: () => Promise<void>;
}

/** Closes sockets when their credential changes or expires, when a policy forbids them, and when the service stops. */
@Injectable()
export class OpenSockets implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly sockets = new Set<OpenSocket>();
  private readonly timer: NodeJS.Timeout;
  private isChecking = false;

  constructor(
    private readonly notifications: Notifications,
    private readonly signIn: SignInService,
    private readonly controls: ControlsService,
    private readonly clock: Clock,
  ) {
    notifications.on(CREDENTIALS_CHANGED, (change) => {
      this.closeAll(({ caller }) => concernsCredential(caller, change), ...CHANGED);
    });
    notifications.on(CONTROLS_CHANGED, ({ orgId }) => {
      for (const socket of this.sockets) if (socket.caller.orgId === orgId) void this.closeUnlessAllowed(socket);
    });
    notifications.onInterruption(() => void this.checkAll());
    this.timer = setInterval(() => this.check(), CHECK_INTERVAL_MS);
    this.timer.unref();
  }

  add(socket: OpenSocket): () => void {
    this.sockets.add(socket);
    // A change while the socket was being opened was not noticed.
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
    if (this.notifications.lagMs > MAX_LAG_MS) void this.checkAll();
  }

  /** Notifications may have been missed. */
  private async checkAll(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      for (const socket of [...this.sockets]) await this.closeUnlessCurrent(socket);
    } finally {
      this.isChecking = false;
    }
  }

  private async closeUnlessCurrent(socket: OpenSocket): Promise<void> {
    const isCurrent = await this.signIn.isCurrent(socket.caller).catch(() => true); // checked again later
    if (!isCurrent) socket.close(...CHANGED);
    else await this.closeUnlessAllowed(socket);
  }

  private async closeUnlessAllowed(socket: OpenSocket): Promise<void> {
    try {
      await this.controls.requireAllowedAddress(socket.caller);
      await socket.requireAllowed?.();
    } catch (error) {
      // After other errors it is checked again later.
      if (error instanceof ForbiddenError) socket.close(CLOSE_CODE.credentialChanged, error.detail);
    }
  }

  private closeAll(concerns: (socket: OpenSocket) => boolean, code: number, reason: string): void {
    for (const socket of this.sockets) if (concerns(socket)) socket.close(code, reason);
  }
}

const CHANGED = [CLOSE_CODE.credentialChanged, 'The credential was revoked or has changed.'] as const;
