import { Injectable, Logger } from '@nestjs/common';
import { forEachIndependently } from '../../common/for-each-independently.js';
import { HourlyJob } from '../../database/hourly-jobs.js';
import { JobLedger } from '../../database/job-ledger.js';
import { EventPartitions } from '../ingest/event-partitions.js';
import { ClaimsRepository } from './claims/claims.repository.js';
import { SourcesRepository } from './sources/sources.repository.js';

/** Every hour, on one replica: deletes claims and sources that are older than the raw events. */
@Injectable()
export class TelemetryUpkeepJob {
  private readonly logger = new Logger('TelemetryUpkeep');

  constructor(
    private readonly ledger: JobLedger,
    private readonly partitions: EventPartitions,
    private readonly claims: ClaimsRepository,
    private readonly sources: SourcesRepository,
  ) {}

  @HourlyJob('telemetry-upkeep')
  async run(): Promise<void> {
    const first = this.partitions.firstOpenDay();
    await this.ledger.runHourly('telemetry-upkeep', () =>
      forEachIndependently(
        [() => this.claims.deleteBefore(first.toString()), () => this.sources.deleteSeenBefore(first.startsAt())],
        (step) => step(),
        (_step, error) => this.logger.error(String(error)),
      ),
    );
  }
}
