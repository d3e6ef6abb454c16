import { Module } from '@nestjs/common';
import { AnalyticsModule } from '../analytics/analytics.module.js';
import { ComputersModule } from '../computers/computers.module.js';
import { IngestModule } from '../ingest/ingest.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { ReadinessModule } from '../readiness/readiness.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { DemoCommands } from './demo-commands.js';
import { DemoFillService } from './demo-fill.service.js';
import { DemoFillsRepository } from './demo-fills.repository.js';
import { DemoRecordsService } from './demo-records.service.js';
import { DemoTourService } from './demo-tour.service.js';
import { DemoUsageService } from './demo-usage.service.js';
import { DemoController } from './demo.controller.js';
import { DemoService } from './demo.service.js';

@Module({
  imports: [
    OrganizationModule,
    ComputersModule,
    SessionsModule,
    MessagesModule,
    IngestModule,
    AnalyticsModule,
    ReadinessModule,
  ],
  controllers: [DemoController],
  providers: [
    DemoCommands,
    DemoFillService,
    DemoFillsRepository,
    DemoRecordsService,
    DemoService,
    DemoTourService,
    DemoUsageService,
  ],
  exports: [DemoCommands],
})
export class DemoModule {}
