import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Clock } from '../../common/time/clock.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { JobLedger } from '../../database/job-ledger.js';
import { EventNamesRepository } from './event-names.repository.js';
import { EventPartitions } from './event-partitions.js';
import { SessionClientsRepository } from './session-clients.repository.js';

const HOUR_MS = 3600_000;
const LEASE_MS = HOUR_MS / 2;
const DAYS_AHEAD = 2;

/** Every hour, on one replica: makes the partitions of the next days and drops those that are past retention. */
@Injectable()
export class EventStorageJob {
  private readonly logger = new Logger('EventStorage');

  constructor(
    private readonly ledger: JobLedger,
    private readonly partitions: EventPartitions,
    private readonly names: EventNamesRepository,
    private readonly sessionClients: SessionClientsRepository,
    private readonly clock: Clock,
  ) {}

  @Cron('17 * * * *')
  async run(): Promise<void> {
    const now = this.clock.now();
    const slot = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
    await this.ledger.runOnce('event-storage', slot, LEASE_MS, async () => {
      const today = UtcDay.of(now);
      for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
        const day = today.plus(ahead).toString();
        await this.attempt(`The partition of ${day} could not be made`, () => this.partitions.ensure(day));
      }
      const firstOpenDay = this.partitions.firstOpenDay();
      for (const day of await this.partitions.listOpenBefore(firstOpenDay)) {
        await this.attempt(`The raw events of ${day} could not be dropped`, () => this.drop(day));
      }
      await this.attempt('Names that are no longer used could not be deleted', () => this.names.deleteUnused());
      await this.attempt('Clients of old sessions could not be deleted', () =>
        this.sessionClients.deleteSeenBefore(firstOpenDay.toString()),
      );
    });
  }

  private async drop(day: string): Promise<void> {
    const isDropped = await this.partitions.drop(day);
    if (isDropped) this.logger.log(`Dropped the raw events of ${day}; its figures stay as they are`);
    else this.logger.warn(`The raw events of ${day} are past retention, but some are not aggregated yet`);
  }

  /** What fails does not keep the rest from being done; the next hour tries again. */
  private async attempt(failure: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.error(`${failure}: ${String(error)}`);
    }
  }
}
