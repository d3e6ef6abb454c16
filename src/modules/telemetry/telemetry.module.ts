import { Module } from '@nestjs/common';
import { IngestModule } from '../ingest/ingest.module.js';
import { TelemetryController } from './telemetry.controller.js';
import { TelemetryService } from './telemetry.service.js';
import { TelemetryStats } from './telemetry-stats.js';
import { TelemetryTail } from './telemetry-tail.js';

@Module({
  imports: [IngestModule],
  controllers: [TelemetryController],
  providers: [TelemetryService, TelemetryStats, TelemetryTail],
})
export class TelemetryModule {}
