import { Module } from '@nestjs/common';
import { OrganizationModule } from '../organization/organization.module.js';
import { ComputerAccessController } from './computer-access.controller.js';
import { ComputerAccessService } from './computer-access.service.js';
import { ComputerAgentsService } from './computer-agents.service.js';
import { ComputerClosings } from './computer-closings.js';
import { ComputersController } from './computers.controller.js';
import { ComputersRepository } from './computers.repository.js';
import { ComputersService } from './computers.service.js';
import { ErasedComputersService } from './erased-computers.service.js';
import { PresenceController } from './presence/presence.controller.js';
import { PresenceRepository } from './presence/presence.repository.js';
import { PresenceService } from './presence/presence.service.js';
import { ReplicasRepository } from './presence/replicas.repository.js';
import { ReplicasService } from './presence/replicas.service.js';

@Module({
  imports: [OrganizationModule],
  controllers: [PresenceController, ComputersController, ComputerAccessController],
  providers: [
    ComputersRepository,
    ComputersService,
    ComputerAccessService,
    ComputerAgentsService,
    ComputerClosings,
    ErasedComputersService,
    PresenceRepository,
    PresenceService,
    ReplicasRepository,
    ReplicasService,
  ],
  exports: [ComputersService, ComputerAgentsService, ComputerClosings, ErasedComputersService, PresenceService],
})
export class ComputersModule {}
