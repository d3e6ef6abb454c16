import { Module } from '@nestjs/common';
import { IngestModule } from '../ingest/ingest.module.js';
import { Arrivals } from './arrivals.js';
import { Claims } from './claims/claims.js';
import { ClaimsRepository } from './claims/claims.repository.js';
import { RefusalsController } from './refusals/refusals.controller.js';
import { RefusedSenders } from './refusals/refused-senders.js';
import { SourceCounts } from './sources/source-counts.js';
import { SourcesController } from './sources/sources.controller.js';
import { SourcesRepository } from './sources/sources.repository.js';
import { SourcesService } from './sources/sources.service.js';
import { TelemetryController } from './telemetry.controller.js';
import { TelemetryService } from './telemetry.service.js';
import { TelemetryStats } from './telemetry-stats.js';
import { TelemetryTail } from './telemetry-tail.js';
import { TelemetryUpkeepJob } from './telemetry-upkeep.job.js';

@Module({
  imports: [IngestModule],
  controllers: [RefusalsController, SourcesController, TelemetryController],
  providers: [
    Arrivals,
    Claims,
    ClaimsRepository,
    RefusedSenders,
    SourceCounts,
    SourcesRepository,
    SourcesService,
    TelemetryService,
    TelemetryStats,
    TelemetryTail,
    TelemetryUpkeepJob,
  ],
})
export class TelemetryModule {}
