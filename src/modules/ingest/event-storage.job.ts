import { Injectable, Logger } from '@nestjs/common';
import { forEachIndependently } from '../../common/for-each-independently.js';
import { Clock } from '../../common/time/clock.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { HourlyJob } from '../../database/hourly-jobs.js';
import { JobLedger } from '../../database/job-ledger.js';
import { EventNamesRepository } from './event-names.repository.js';
import { EventPartitions } from './event-partitions.js';
import { IntakeDaysRepository } from './intake/intake-days.repository.js';
import { SessionClientsRepository } from './session-clients.repository.js';

const DAYS_AHEAD = 2;

/** Every hour, on one replica: creates the partitions of the next days and drops those past their retention. */
@Injectable()
export class EventStorageJob {
  private readonly logger = new Logger('EventStorage');

  constructor(
    private readonly ledger: JobLedger,
    private readonly partitions: EventPartitions,
    private readonly names: EventNamesRepository,
    private readonly sessionClients: SessionClientsRepository,
    private readonly intakeDays: IntakeDaysRepository,
    private readonly clock: Clock,
  ) {}

  @HourlyJob('event-storage')
  async run(): Promise<void> {
    const now = this.clock.now();
    await this.ledger.runHourly('event-storage', async () => {
      await forEachIndependently(
        [
          () => this.makeAhead(now),
          () => this.dropExpired(),
          () => this.names.deleteDroppedDays(),
          () => this.forgetClients(),
          () => this.intakeDays.deleteBefore(this.partitions.firstOpenDay().toString()),
        ],
        (step) => step(),
        (_step, error) => this.logger.error(String(error)),
      );
    });
  }

  private async makeAhead(now: Date): Promise<void> {
    await forEachIndependently(
      Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) => UtcDay.of(now).plus(ahead).toString()),
      (day) => this.partitions.ensure(day),
      (day, error) => this.logger.error(`The partition of ${day} could not be made: ${String(error)}`),
    );
  }

  private async dropExpired(): Promise<void> {
    await forEachIndependently(
      await this.partitions.listOpenBefore(this.partitions.firstOpenDay()),
      (day) => this.drop(day),
      (day, error) => this.logger.error(`The raw events of ${day} could not be dropped: ${String(error)}`),
    );
  }

  private async drop(day: string): Promise<void> {
    const isDropped = await this.partitions.drop(day);
    if (isDropped) this.logger.log(`Dropped the raw events of ${day}; its figures stay as they are`);
    else this.logger.warn(`The raw events of ${day} are past retention, but some are not aggregated yet`);
  }

  private forgetClients(): Promise<void> {
    return this.sessionClients.deleteSeenBefore(this.partitions.firstOpenDay().toString());
  }
}
