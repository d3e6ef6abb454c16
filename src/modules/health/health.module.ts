import { Module } from '@nestjs/common';
import { IngestModule } from '../ingest/ingest.module.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { VersionController } from './version.controller.js';

@Module({ imports: [IngestModule], controllers: [HealthController, VersionController], providers: [HealthService] })
export class HealthModule {}
