import { Module } from '@nestjs/common';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { AuditLogController } from './audit/audit-log.controller.js';
import { AuditLogRepository } from './audit/audit-log.repository.js';
import { AuditLogService } from './audit/audit-log.service.js';
import { ComputerTokensRepository } from './computer-tokens/computer-tokens.repository.js';
import { ComputerTokensService } from './computer-tokens/computer-tokens.service.js';
import { CredentialDirectoryRepository } from './credential-directory/credential-directory.repository.js';
import { CredentialWatch } from './credentials/credential-watch.js';
import { ControlSecrets } from './controls/control-secrets.js';
import { ControlsController } from './controls/controls.controller.js';
import { ControlsRepository } from './controls/controls.repository.js';
import { ControlsService } from './controls/controls.service.js';
import { SecretBox } from './controls/secret-box.js';
import { StoredSecretsService } from './controls/stored-secrets.service.js';
import { ErasedUsersService } from './erasure/erased-users.service.js';
import { MeController } from './me/me.controller.js';
import { MeService } from './me/me.service.js';
import { OperatorCommands } from './operator-commands.js';
import { OrganizationRemovalService } from './organizations/organization-removal.service.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';
import { OrganizationsService } from './organizations/organizations.service.js';
import { OrganizationSettingsController } from './settings/organization-settings.controller.js';
import { OrganizationSettingsRepository } from './settings/organization-settings.repository.js';
import { OrganizationSettingsService } from './settings/organization-settings.service.js';
import { SignInService } from './credentials/sign-in.service.js';
import { CreditLimitsController } from './credit-limits/credit-limits.controller.js';
import { CreditLimitsRepository } from './credit-limits/credit-limits.repository.js';
import { CreditLimitsService } from './credit-limits/credit-limits.service.js';
import { UsersController } from './users/users.controller.js';
import { UsersRepository } from './users/users.repository.js';
import { UsersService } from './users/users.service.js';

/** Organizations: users, credentials, credit limits, enterprise controls, audit log. */
@Module({
  controllers: [
    MeController,
    ApiKeysController,
    UsersController,
    CreditLimitsController,
    ControlsController,
    AuditLogController,
    OrganizationSettingsController,
  ],
  providers: [
    ApiKeysRepository,
    ApiKeysService,
    AuditLogRepository,
    AuditLogService,
    ComputerTokensRepository,
    ComputerTokensService,
    ControlSecrets,
    ControlsRepository,
    ControlsService,
    CredentialDirectoryRepository,
    CredentialWatch,
    ErasedUsersService,
    MeService,
    OperatorCommands,
    OrganizationRemovalService,
    OrganizationsRepository,
    OrganizationsService,
    OrganizationSettingsRepository,
    OrganizationSettingsService,
    SecretBox,
    SignInService,
    StoredSecretsService,
    CreditLimitsRepository,
    CreditLimitsService,
    UsersRepository,
    UsersService,
  ],
  exports: [
    ApiKeysService,
    AuditLogService,
    ComputerTokensService,
    ControlsService,
    CredentialWatch,
    ErasedUsersService,
    CreditLimitsService,
    OperatorCommands,
    OrganizationRemovalService,
    OrganizationsService,
    OrganizationSettingsService,
    SignInService,
    UsersService,
  ],
})
export class OrganizationModule {}
