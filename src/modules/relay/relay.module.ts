import { Module } from '@nestjs/common';
import { ComputersModule } from '../computers/computers.module.js';
import { IngestModule } from '../ingest/ingest.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { AgentHandshakeService } from './agent-handshake.service.js';
import { AgentUsageService } from './agent-usage.service.js';
import { AgentGateway } from './agent.gateway.js';
import { ClientGateway } from './client.gateway.js';
import { OpenSockets } from './open-sockets.js';
import { RelayController } from './relay.controller.js';

@Module({
  imports: [OrganizationModule, ComputersModule, SessionsModule, TurnsModule, IngestModule],
  controllers: [RelayController],
  providers: [AgentGateway, AgentHandshakeService, AgentUsageService, ClientGateway, OpenSockets],
})
export class RelayModule {}
