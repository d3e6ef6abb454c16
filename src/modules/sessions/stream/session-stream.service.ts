import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { ForbiddenError, InvalidRequestError, NotFoundError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { ControlsService } from '../../organization/controls/controls.service.js';
import { SessionStreamRepository } from './session-stream.repository.js';
import { SessionWatcher } from './session-watcher.js';
import type { StreamedEvent } from './streamed-event.js';

const HEARTBEAT_MS = 15_000;

/** Limits how many batches are in memory: `begin` waits for a place and returns the function that frees it. */
export interface ReadingPace {
  begin(): Promise<() => void>;
}

const UNLIMITED: ReadingPace = { begin: () => Promise.resolve(() => undefined) };

@Injectable()
export class SessionStreamService {
  constructor(
    private readonly events: SessionStreamRepository,
    private readonly watcher: SessionWatcher,
    private readonly controls: ControlsService,
    private readonly clock: Clock,
  ) {}

  /** Events after `lastSeq`, or from now on; null is a heartbeat. A session restored from a backup may be behind `lastSeq`. */
  async follow(
    caller: Principal,
    sessionId: string,
    lastSeq: number | null,
    pace: ReadingPace = UNLIMITED,
  ): Promise<AsyncGenerator<StreamedEvent | null>> {
    const current = await this.events.findLastSeq(caller, sessionId);
    if (current === null) throw new NotFoundError('session', sessionId);
    if (lastSeq !== null && lastSeq > current) {
      throw new InvalidRequestError(`The last event of this session is ${current}: there is none after ${lastSeq}.`);
    }
    return this.produce(caller, sessionId, lastSeq ?? current, pace);
  }

  private async *produce(
    caller: Principal,
    sessionId: string,
    lastSeq: number,
    pace: ReadingPace,
  ): AsyncGenerator<StreamedEvent | null> {
    // Watched before the first read, so that nothing between the two is missed.
    const watch = this.watcher.watch(sessionId, caller);
    try {
      let seq = lastSeq;
      let isWoken = true;
      while (!watch.ended && this.msUntilExpiry(caller) > 0) {
        const done = await pace.begin();
        try {
          const { events, hasMore } = await this.events.listAfter(caller.orgId, sessionId, seq);
          if (isWoken && !(await this.mayContinue(caller, sessionId))) return;
          yield* events;
          seq = events.at(-1)?.seq ?? seq;
          if (hasMore) continue;
        } finally {
          done();
        }
        isWoken = await watch.next(Math.min(HEARTBEAT_MS, Math.max(this.msUntilExpiry(caller), 0)));
        if (!isWoken) yield null;
      }
    } finally {
      watch.close();
    }
  }

  private msUntilExpiry({ expiresAt }: Principal): number {
    return expiresAt ? expiresAt.getTime() - this.clock.now().getTime() : Infinity;
  }

  private async mayContinue(caller: Principal, sessionId: string): Promise<boolean> {
    try {
      await this.controls.requireAllowedAddress(caller);
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      throw error;
    }
    return (await this.events.findLastSeq(caller, sessionId)) !== null;
  }
}
