import { Module } from '@nestjs/common';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { AuditLogController } from './audit/audit-log.controller.js';
import { AuditLogRepository } from './audit/audit-log.repository.js';
import { AuditLogService } from './audit/audit-log.service.js';
import { ComputerTokensRepository } from './computer-tokens/computer-tokens.repository.js';
import { ControlSecrets } from './controls/control-secrets.js';
import { ControlsController } from './controls/controls.controller.js';
import { ControlsRepository } from './controls/controls.repository.js';
import { ControlsService } from './controls/controls.service.js';
import { SecretBox } from './controls/secret-box.js';
import { StoredSecretsService } from './controls/stored-secrets.service.js';
import { MeController } from './me/me.controller.js';
import { MeService } from './me/me.service.js';
import { OperatorCommands } from './operator-commands.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';
import { OrganizationsService } from './organizations/organizations.service.js';
import { SignInService } from './users/sign-in.service.js';
import { UsageController } from './credit-limits/usage.controller.js';
import { UsageRepository } from './credit-limits/usage.repository.js';
import { UsageService } from './credit-limits/usage.service.js';
import { UsersController } from './users/users.controller.js';
import { UsersRepository } from './users/users.repository.js';
import { UsersService } from './users/users.service.js';

/** Organizations, their people, roles, API keys and usage limits. */
@Module({
  controllers: [
    MeController,
    ApiKeysController,
    UsersController,
    UsageController,
    ControlsController,
    AuditLogController,
  ],
  providers: [
    ApiKeysRepository,
    ApiKeysService,
    AuditLogRepository,
    AuditLogService,
    ComputerTokensRepository,
    ControlSecrets,
    ControlsRepository,
    ControlsService,
    MeService,
    OperatorCommands,
    OrganizationsRepository,
    OrganizationsService,
    SecretBox,
    SignInService,
    StoredSecretsService,
    UsageRepository,
    UsageService,
    UsersRepository,
    UsersService,
  ],
  exports: [
    ApiKeysService,
    AuditLogService,
    ComputerTokensRepository,
    ControlsService,
    UsageService,
    OperatorCommands,
    OrganizationsService,
    SignInService,
    UsersService,
  ],
})
export class OrganizationModule {}
