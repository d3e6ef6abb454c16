import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/time/clock.js';
import { HourlyJob } from '../../../database/hourly-jobs.js';
import { JobLedger } from '../../../database/job-ledger.js';
import { MAX_IDLE_MS } from './console-session.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';
import { SignInLinksRepository } from './sign-in-links.repository.js';

/** Every hour, on one replica: deletes console sessions and links that have ended. */
@Injectable()
export class ConsoleCleanupJob {
  constructor(
    private readonly ledger: JobLedger,
    private readonly sessions: ConsoleSessionsRepository,
    private readonly links: SignInLinksRepository,
    private readonly clock: Clock,
  ) {}

  @HourlyJob('console-cleanup')
  async run(): Promise<void> {
    const now = this.clock.now();
    await this.ledger.runHourly('console-cleanup', async () => {
      await this.sessions.deleteEnded(now, new Date(now.getTime() - MAX_IDLE_MS));
      await this.links.deleteExpired(now);
    });
  }
}
