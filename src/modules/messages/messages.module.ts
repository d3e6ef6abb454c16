import { Module } from '@nestjs/common';
import { ComputersModule } from '../computers/computers.module.js';
import { IngestModule } from '../ingest/ingest.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ConnectedAgents } from '../turns/connected-agents.js';
import { MessagesController } from './messages.controller.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesService } from './messages.service.js';
import { SearchController } from './search.controller.js';
import { SearchRepository } from './search.repository.js';
import { SearchService } from './search.service.js';
import { SessionStreamController } from '../sessions/stream/session-stream.controller.js';
import { SessionStreamRepository } from '../sessions/stream/session-stream.repository.js';
import { SessionStreamService } from '../sessions/stream/session-stream.service.js';
import { SessionWatcher } from '../sessions/stream/session-watcher.js';
import { SecretReleasesRepository } from '../turns/secret-releases.repository.js';
import { TurnControls } from '../turns/turn-controls.js';
import { AgentMessages } from '../turns/agent-messages.js';
import { TurnsRepository } from '../turns/turns.repository.js';
import { TurnsService } from '../turns/turns.service.js';

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
    AgentMessages,
    TurnsRepository,
    TurnsService,
  ],
  exports: [ConnectedAgents, MessagesService, SessionStreamService, TurnsService],
})
export class MessagesModule {}
