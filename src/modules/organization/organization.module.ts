import { Module } from '@nestjs/common';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { MeController } from './me/me.controller.js';
import { MeService } from './me/me.service.js';
import { OperatorCommands } from './operator-commands.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';
import { OrganizationsService } from './organizations/organizations.service.js';
import { SignInService } from './users/sign-in.service.js';
import { UsageRepository } from './usage/usage.repository.js';
import { UsersController } from './users/users.controller.js';
import { UsersRepository } from './users/users.repository.js';
import { UsersService } from './users/users.service.js';

/** Organizations, their people, roles, API keys and usage limits. */
@Module({
  controllers: [MeController, ApiKeysController, UsersController],
  providers: [
    ApiKeysRepository,
    ApiKeysService,
    MeService,
    OperatorCommands,
    OrganizationsRepository,
    OrganizationsService,
    SignInService,
    UsageRepository,
    UsersRepository,
    UsersService,
  ],
  exports: [ApiKeysService, OperatorCommands, OrganizationsService, SignInService, UsersService],
})
export class OrganizationModule {}
