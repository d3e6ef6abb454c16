import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../common/errors/domain-error.js';
import { isUuid } from '../../common/validation/predicates.js';
import { OrganizationsService } from '../organization/organizations/organizations.service.js';
import { UsersService } from '../organization/users/users.service.js';
import { ErasureService } from './erasure.service.js';

@Injectable()
export class ErasureCommands {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly users: UsersService,
    private readonly erasure: ErasureService,
  ) {}

  /** `user`: id or e-mail address. */
  async erase(input: { org?: string; user: string }): Promise<string> {
    const { id: orgId } = await this.organizations.resolve(input.org);
    const userId = isUuid(input.user)
      ? input.user.toLowerCase()
      : (await this.users.findByEmail(orgId, input.user))?.id;
    if (userId === undefined) throw new NotFoundError('user', input.user);
    await this.erasure.erase(orgId, null, userId);
    return `User ${userId} is erased: name and address are gone, figures stay under this id.`;
  }
}
