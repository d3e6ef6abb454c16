import { Module } from '@nestjs/common';
import { ComputersModule } from '../computers/computers.module.js';
import { IngestModule } from '../ingest/ingest.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { ModelsController } from './models/models.controller.js';
import { ModelsRepository } from './models/models.repository.js';
import { ModelsService } from './models/models.service.js';
import { OrganizationSessionsController } from './organization/organization-sessions.controller.js';
import { OrganizationSessionsRepository } from './organization/organization-sessions.repository.js';
import { OrganizationSessionsService } from './organization/organization-sessions.service.js';
import { SessionRetentionJob } from './session-retention.job.js';
import { SessionTokensRepository } from './session-tokens.repository.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { SessionStreamController } from './stream/session-stream.controller.js';
import { SessionStreamRepository } from './stream/session-stream.repository.js';
import { SessionStreamService } from './stream/session-stream.service.js';
import { SessionWatcher } from './stream/session-watcher.js';
import { TranscriptRepository } from './transcript/transcript.repository.js';
import { TranscriptService } from './transcript/transcript.service.js';

@Module({
  imports: [OrganizationModule, ComputersModule, IngestModule],
  controllers: [SessionsController, SessionStreamController, OrganizationSessionsController, ModelsController],
  providers: [
    ModelsRepository,
    ModelsService,
    OrganizationSessionsRepository,
    OrganizationSessionsService,
    SessionsRepository,
    SessionTokensRepository,
    SessionsService,
    SessionRetentionJob,
    SessionStreamRepository,
    SessionStreamService,
    SessionWatcher,
    TranscriptRepository,
    TranscriptService,
  ],
  exports: [SessionsService, SessionStreamService, TranscriptService],
})
export class SessionsModule {}
