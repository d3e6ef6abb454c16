import { Injectable, Logger } from '@nestjs/common';
import { forEachIndependently } from '../../common/for-each-independently.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/durations.js';
import { HourlyJob } from '../../database/hourly-jobs.js';
import { JobLedger } from '../../database/job-ledger.js';
import { ControlsService } from '../organization/controls/controls.service.js';
import { SessionsRepository } from './sessions.repository.js';

const BATCH = 500;

/** Every hour, on one replica: deletes sessions that are past their organization's `sessionRetentionDays`. */
@Injectable()
export class SessionRetentionJob {
  private readonly logger = new Logger('SessionRetention');

  constructor(
    private readonly ledger: JobLedger,
    private readonly sessions: SessionsRepository,
    private readonly controls: ControlsService,
    private readonly clock: Clock,
  ) {}

  @HourlyJob('session-retention')
  async run(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    await this.ledger.runHourly('session-retention', async () => {
      await forEachIndependently(
        await this.controls.listSessionRetentions(),
        ({ orgId, days }) => this.deleteExpired(orgId, new Date(nowMs - days * DAY_MS)),
        ({ orgId }, error) => this.logger.error(`Sessions of ${orgId} could not be deleted: ${String(error)}`),
      );
    });
  }

  /** Each batch is a transaction of its own, so the next run continues where one that died stopped. */
  private async deleteExpired(orgId: string, before: Date): Promise<void> {
    let total = 0;
    for (let deleted = -1; deleted !== 0; total += deleted) {
      deleted = await this.sessions.deleteExpired(orgId, before, BATCH);
    }
    if (total > 0) this.logger.log(`Deleted ${total} sessions of organization ${orgId} past their retention`);
  }
}
