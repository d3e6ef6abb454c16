import { Module } from '@nestjs/common';
import { ComputersModule } from '../computers/computers.module.js';
import { IngestModule } from '../ingest/ingest.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { SessionRetentionJob } from './session-retention.job.js';
import { SessionTokensRepository } from './session-tokens.repository.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

/** Agent sessions and their settings. */
@Module({
  imports: [OrganizationModule, ComputersModule, IngestModule],
  controllers: [SessionsController],
  providers: [SessionsRepository, SessionTokensRepository, SessionsService, SessionRetentionJob],
  exports: [SessionsService],
})
export class SessionsModule {}
