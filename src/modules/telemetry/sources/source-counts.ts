import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { WriteBehind } from '../../../database/write-behind.js';
import type { SeenSource } from './sources.repository.js';
import { SourcesRepository } from './sources.repository.js';

const MAX_WAITING = 50_000;

/** Keeps when each agent of each user was last seen, and what became of what it sent. */
@Injectable()
export class SourceCounts implements OnApplicationShutdown {
  private readonly counts: WriteBehind<SeenSource>;

  constructor(sources: SourcesRepository) {
    this.counts = new WriteBehind<SeenSource>({
      logger: new Logger('Sources'),
      merge,
      write: (orgId, rows) => sources.add(orgId, rows),
      maxRows: MAX_WAITING,
    });
  }

  add(orgId: string, source: SeenSource): void {
    this.counts.add(orgId, `${source.userId} ${source.agent} ${source.version}`, source);
  }

  flush(): Promise<void> {
    return this.counts.flush();
  }

  onApplicationShutdown(): Promise<void> {
    return this.counts.stop();
  }
}

function merge(waiting: SeenSource, { counted, ignored, refused, refusal, seenAt }: SeenSource): void {
  waiting.counted += counted;
  waiting.ignored += ignored;
  waiting.refused += refused;
  waiting.refusal = refusal ?? waiting.refusal;
  waiting.seenAt = seenAt;
}
