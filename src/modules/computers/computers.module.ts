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

@Module({
  imports: [OrganizationModule],
  controllers: [ComputersController, ComputerAccessController],
  providers: [
    ComputersRepository,
    ComputersService,
    ComputerAccessService,
    ComputerAgentsService,
    ComputerClosings,
    ErasedComputersService,
  ],
  exports: [ComputersService, ComputerAgentsService, ComputerClosings, ErasedComputersService],
})
export class ComputersModule {}
