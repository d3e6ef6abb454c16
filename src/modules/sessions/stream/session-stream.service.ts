import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { InvalidRequestError, NotFoundError } from '../../../common/errors/domain-error.js';
import { CredentialWatch } from '../../organization/credentials/credential-watch.js';
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
    private readonly credentials: CredentialWatch,
  ) {}

  /** Events after `lastSeq`, or from now on; null is a heartbeat. A session restored from a backup may be behind `lastSeq`. */
  async follow(
    caller: Principal,
    sessionId: string,
    lastSeq: number | null,
    pace: ReadingPace = UNLIMITED,
  ): Promise<AsyncGenerator<StreamedEvent | null>> {
    const current = await this.events.findLastSeq(caller.orgId, caller.userId, sessionId);
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
    const { orgId, userId } = caller;
    // Watched before the first read: what happens in between is seen by one or the other.
    const watch = this.watcher.watch(sessionId);
    const stopWatch = this.credentials.watch(caller, () => watch.end());
    try {
      let seq = lastSeq;
      let isWoken = true;
      while (!watch.hasEnded()) {
        const done = await pace.begin();
        try {
          const { events, hasMore } = await this.events.listAfter(orgId, sessionId, seq);
          if (isWoken && (await this.events.findLastSeq(orgId, userId, sessionId)) === null) return;
          if (watch.hasEnded()) return;
          yield* events;
          seq = events.at(-1)?.seq ?? seq;
          if (hasMore) continue;
        } finally {
          done();
        }
        isWoken = await watch.next(HEARTBEAT_MS);
        if (!isWoken) yield null;
      }
    } finally {
      stopWatch();
      watch.close();
    }
  }
}
