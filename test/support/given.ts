import { randomBytes } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import { Role } from '../../src/common/access/role.enum.js';
import { OrgDatabase } from '../../src/database/org-database.js';
import { ApiKeysService } from '../../src/modules/organization/api-keys/api-keys.service.js';
import { OrganizationsService } from '../../src/modules/organization/organizations/organizations.service.js';
import { UsersService } from '../../src/modules/organization/users/users.service.js';

export interface GivenUser {
  readonly orgId: string;
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly key: string;
}

export interface GivenOrganization {
  readonly id: string;
  readonly name: string;
  readonly externalId: string;
  readonly owner: GivenUser;
}

/** Creates test data through the services of the application. */
export class Given {
  constructor(
    private readonly app: INestApplication,
    readonly url: string,
  ) {}

  async organization(): Promise<GivenOrganization> {
    const mark = randomBytes(4).toString('hex');
    const input = { name: `Organization ${mark}`, ownerEmail: `owner-${mark}@example.com`, externalId: `ext-${mark}` };
    const { organization, owner, apiKey } = await this.app.get(OrganizationsService).create(input);
    return {
      id: organization.id,
      name: organization.name,
      externalId: input.externalId,
      owner: { orgId: organization.id, id: owner.id, email: input.ownerEmail, role: owner.role, key: apiKey.key },
    };
  }

  async user(
    org: GivenOrganization,
    { role = Role.Member, email = `${randomBytes(4).toString('hex')}@example.com` } = {},
  ): Promise<GivenUser> {
    return this.app.get(OrgDatabase).transaction(org.id, async (tx) => {
      const user = await this.app.get(UsersService).create(tx, org.id, null, { email, role });
      const issued = { name: 'test', userId: user.id, expiresAt: null, createdBy: user.id };
      const { key } = await this.app.get(ApiKeysService).issue(tx, org.id, null, issued);
      return { orgId: org.id, id: user.id, email, role, key };
    });
  }
}
