import { Module } from '@nestjs/common';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { AuditLogController } from './audit/audit-log.controller.js';
import { AuditLogRepository } from './audit/audit-log.repository.js';
import { AuditLogService } from './audit/audit-log.service.js';
import { ComputerTokensRepository } from './computer-tokens/computer-tokens.repository.js';
import { ComputerTokensService } from './computer-tokens/computer-tokens.service.js';
import { ConsoleCleanupJob } from './console-sessions/console-cleanup.job.js';
import { ConsoleSessionsRepository } from './console-sessions/console-sessions.repository.js';
import { ConsoleSessionsService } from './console-sessions/console-sessions.service.js';
import { SignInLinksRepository } from './console-sessions/sign-in-links.repository.js';
import { SignInLinksService } from './console-sessions/sign-in-links.service.js';
import { CredentialDirectoryRepository } from './credential-directory/credential-directory.repository.js';
import { CredentialWatch } from './credentials/credential-watch.js';
import { ControlSecrets } from './controls/control-secrets.js';
import { ControlsController } from './controls/controls.controller.js';
import { ControlsRepository } from './controls/controls.repository.js';
import { ControlsService } from './controls/controls.service.js';
import { SecretBox } from './controls/secret-box.js';
import { StoredSecretsService } from './controls/stored-secrets.service.js';
import { ErasedUsersService } from './erasure/erased-users.service.js';
import { MembersController } from './members/members.controller.js';
import { MembersRepository } from './members/members.repository.js';
import { MembersService } from './members/members.service.js';
import { MeController } from './me/me.controller.js';
import { MeService } from './me/me.service.js';
import { OperatorCommands } from './operator-commands.js';
import { OrganizationRemovalService } from './organizations/organization-removal.service.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';
import { OrganizationsService } from './organizations/organizations.service.js';
import { PricesController } from './prices/prices.controller.js';
import { PricesRepository } from './prices/prices.repository.js';
import { PricesService } from './prices/prices.service.js';
import { OrganizationSettingsController } from './settings/organization-settings.controller.js';
import { OrganizationSettingsRepository } from './settings/organization-settings.repository.js';
import { OrganizationSettingsService } from './settings/organization-settings.service.js';
import { SignInService } from './credentials/sign-in.service.js';
import { CreditLimitsController } from './credit-limits/credit-limits.controller.js';
import { CreditLimitsRepository } from './credit-limits/credit-limits.repository.js';
import { CreditLimitsService } from './credit-limits/credit-limits.service.js';
import { TeamAssignmentsService } from './teams/team-assignments.service.js';
import { TeamClaimsService } from './teams/team-claims.service.js';
import { TeamCommands } from './teams/team-commands.js';
import { TeamMembershipsService } from './teams/team-memberships.service.js';
import { TeamsController } from './teams/teams.controller.js';
import { TeamsRepository } from './teams/teams.repository.js';
import { TeamsService } from './teams/teams.service.js';
import { UsersController } from './users/users.controller.js';
import { UsersRepository } from './users/users.repository.js';
import { UsersService } from './users/users.service.js';

/** Organizations: users, teams, credentials, credit limits, enterprise controls, prices, audit log. */
@Module({
  controllers: [
    MeController,
    ApiKeysController,
    UsersController,
    MembersController,
    TeamsController,
    CreditLimitsController,
    ControlsController,
    PricesController,
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
    ConsoleCleanupJob,
    ConsoleSessionsRepository,
    ConsoleSessionsService,
    ControlSecrets,
    ControlsRepository,
    ControlsService,
    CredentialDirectoryRepository,
    CredentialWatch,
    ErasedUsersService,
    MembersRepository,
    MembersService,
    MeService,
    OperatorCommands,
    OrganizationRemovalService,
    OrganizationsRepository,
    OrganizationsService,
    PricesRepository,
    PricesService,
    OrganizationSettingsRepository,
    OrganizationSettingsService,
    SecretBox,
    SignInLinksRepository,
    SignInLinksService,
    SignInService,
    StoredSecretsService,
    CreditLimitsRepository,
    CreditLimitsService,
    TeamAssignmentsService,
    TeamClaimsService,
    TeamCommands,
    TeamMembershipsService,
    TeamsRepository,
    TeamsService,
    UsersRepository,
    UsersService,
  ],
  exports: [
    ApiKeysService,
    AuditLogService,
    ComputerTokensService,
    ConsoleSessionsService,
    ControlsService,
    CredentialWatch,
    ErasedUsersService,
    CreditLimitsService,
    OperatorCommands,
    OrganizationRemovalService,
    OrganizationsService,
    PricesService,
    SecretBox,
    SignInLinksService,
    OrganizationSettingsService,
    SignInService,
    TeamAssignmentsService,
    TeamCommands,
    UsersService,
  ],
})
export class OrganizationModule {}
