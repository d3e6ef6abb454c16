import { ApiKeyEntity } from './modules/organization/api-keys/api-key.entity.js';
import { ComputerEntity } from './modules/computers/computer.entity.js';
import { OrganizationEntity } from './modules/organization/organizations/organization.entity.js';
import { UserIdentityEntity } from './modules/organization/users/user-identity.entity.js';
import { UserEntity } from './modules/organization/users/user.entity.js';
import { ReadinessReportEntity } from './modules/readiness/readiness-report.entity.js';
import { SessionEntity } from './modules/sessions/session.entity.js';

export const ENTITIES = [
  OrganizationEntity,
  UserEntity,
  UserIdentityEntity,
  ApiKeyEntity,
  ComputerEntity,
  SessionEntity,
  ReadinessReportEntity,
];
