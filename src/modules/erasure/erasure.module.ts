import { Module } from '@nestjs/common';
import { AnalyticsModule } from '../analytics/analytics.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ErasureCommands } from './erasure-commands.js';
import { ErasureController } from './erasure.controller.js';
import { ErasureRepository } from './erasure.repository.js';
import { ErasureService } from './erasure.service.js';

/** Forgets people who have left. */
@Module({
  imports: [OrganizationModule, SessionsModule, AnalyticsModule],
  controllers: [ErasureController],
  providers: [ErasureCommands, ErasureRepository, ErasureService],
})
export class ErasureModule {}
