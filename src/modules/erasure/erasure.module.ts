import { Module } from '@nestjs/common';
import { AnalyticsModule } from '../analytics/analytics.module.js';
import { ComputersModule } from '../computers/computers.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ErasureCommands } from './erasure-commands.js';
import { ErasureController } from './erasure.controller.js';
import { ErasureService } from './erasure.service.js';

@Module({
  imports: [OrganizationModule, ComputersModule, SessionsModule, AnalyticsModule],
  controllers: [ErasureController],
  providers: [ErasureCommands, ErasureService],
})
export class ErasureModule {}
