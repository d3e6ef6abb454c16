import { Module } from '@nestjs/common';
import { ComputersModule } from '../computers/computers.module.js';
import { IngestModule } from '../ingest/ingest.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AgentRelay } from './agent-relay.service.js';
import { AgentGateway } from './agent.gateway.js';
import { ClientGateway } from './client.gateway.js';
import { LostTurnsJob } from './lost-turns.job.js';
import { OpenSockets } from './open-sockets.js';
import { RelayController } from './relay.controller.js';

/** The WebSockets over which a computer's agent takes turns and clients follow them. */
@Module({
  imports: [OrganizationModule, ComputersModule, SessionsModule, MessagesModule, IngestModule],
  controllers: [RelayController],
  providers: [AgentRelay, AgentGateway, ClientGateway, LostTurnsJob, OpenSockets],
})
export class RelayModule {}
