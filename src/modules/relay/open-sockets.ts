import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { Clock } from '../../common/time/clock.js';
import { WakeUps } from '../../database/wake-ups.js';
import { CLOSE_CODE } from '../../protocol/relay-protocol.js';
import { concernsCredential, CREDENTIALS_CHANGED } from '../organization/credential-changes.js';
import { SignInService } from '../organization/users/sign-in.service.js';

const CHECK_INTERVAL_MS = 500;
const MAX_SILENCE_MS = 800;

interface OpenSocket {
  readonly caller: Principal;
  readonly close: (code: number, reason: string) => void;
}

/** Every socket of this process: closed when the credential behind it changes or ends, and when the service stops. */
@Injectable()
export class OpenSockets implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly sockets = new Set<OpenSocket>();
  private readonly timer: NodeJS.Timeout;
  private isAsking = false;

  constructor(
    private readonly wakeUps: WakeUps,
    private readonly signIn: SignInService,
    private readonly clock: Clock,
  ) {
    wakeUps.on(CREDENTIALS_CHANGED, (change) => {
      this.closeAll(({ caller }) => concernsCredential(caller, change), ...CHANGED);
    });
    wakeUps.onInterruption(() => void this.askAgain());
    this.timer = setInterval(() => this.check(), CHECK_INTERVAL_MS);
    this.timer.unref();
  }

  /** Returns what has to be called when the socket has closed. */
  add(socket: OpenSocket): () => void {
    this.sockets.add(socket);
    void this.closeUnlessCurrent(socket); // the credential may have changed while the socket was being opened
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
    if (this.wakeUps.silenceMs > MAX_SILENCE_MS) void this.askAgain();
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
  }

  private closeAll(concerns: (socket: OpenSocket) => boolean, code: number, reason: string): void {
    for (const socket of this.sockets) if (concerns(socket)) socket.close(code, reason);
  }
}

const CHANGED = [CLOSE_CODE.credentialChanged, 'The credential was revoked or has changed.'] as const;
