import { Module } from '@nestjs/common';
import { ComputersModule } from '../computers/computers.module.js';
import { IngestModule } from '../ingest/ingest.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ConnectedAgents } from './connected-agents.js';
import { MessagesController } from './messages.controller.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesService } from './messages.service.js';
import { SearchController } from './search.controller.js';
import { SearchRepository } from './search.repository.js';
import { SearchService } from './search.service.js';
import { SessionStreamController } from './session-stream.controller.js';
import { SessionStreamRepository } from './session-stream.repository.js';
import { SessionStreamService } from './session-stream.service.js';
import { SessionWatcher } from './session-watcher.js';
import { SecretReleasesRepository } from './secret-releases.repository.js';
import { TurnControls } from './turn-controls.js';
import { TurnMessages } from './turn-messages.js';
import { TurnsRepository } from './turns.repository.js';
import { TurnsService } from './turns.service.js';

/** A session's messages, and the queue of turns they feed. */
@Module({
  imports: [OrganizationModule, ComputersModule, SessionsModule, IngestModule],
  controllers: [SearchController, MessagesController, SessionStreamController],
  providers: [
    ConnectedAgents,
    MessagesRepository,
    MessagesService,
    SearchRepository,
    SearchService,
    SessionStreamRepository,
    SessionStreamService,
    SessionWatcher,
    SecretReleasesRepository,
    TurnControls,
    TurnMessages,
    TurnsRepository,
    TurnsService,
  ],
  exports: [ConnectedAgents, MessagesService, SessionStreamService, TurnsService],
})
export class MessagesModule {}
