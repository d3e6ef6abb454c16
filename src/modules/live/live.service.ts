import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { Clock } from '../../common/time/clock.js';
import type { ServerSentEvent } from '../../http/streams/event-stream.js';
import { CredentialWatch } from '../organization/credentials/credential-watch.js';
import { LiveHub } from './live-hub.js';

const HEARTBEAT_MS = 15_000;

@Injectable()
export class LiveService {
  constructor(
    private readonly hub: LiveHub,
    private readonly credentials: CredentialWatch,
    private readonly clock: Clock,
  ) {}

  /** Begins now. A reader that comes back may have missed something, and has to read its lists again. */
  async *follow(caller: Principal, { isBack }: { isBack: boolean }): AsyncGenerator<ServerSentEvent> {
    const reader = this.hub.open(caller);
    const stopWatch = this.credentials.watch(caller, () => reader.end());
    reader.send({ event: isBack ? 'resync' : 'ready', data: {} });
    try {
      while (!reader.hasEnded()) {
        const events = await reader.take(HEARTBEAT_MS);
        const id = String(this.clock.now().getTime());
        for (const event of events) yield { id, ...event };
        if (events.length === 0 && !reader.hasEnded()) yield null;
      }
    } finally {
      stopWatch();
      this.hub.close(reader);
    }
  }
}
