import { Module } from '@nestjs/common';
import { OrganizationModule } from '../organization/organization.module.js';
import { ComputersController } from './computers.controller.js';
import { ComputersRepository } from './computers.repository.js';
import { ComputersService } from './computers.service.js';

/** The machines on which sessions run. */
@Module({
  imports: [OrganizationModule],
  controllers: [ComputersController],
  providers: [ComputersRepository, ComputersService],
  exports: [ComputersService],
})
export class ComputersModule {}
