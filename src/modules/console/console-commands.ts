import { Injectable } from '@nestjs/common';
import { ConflictError } from '../../common/errors/domain-error.js';
import { AppConfig } from '../../config/app-config.js';
import { LINK_MINUTES, SignInLinksService } from '../organization/console-sessions/sign-in-links.service.js';
import { OrganizationsService } from '../organization/organizations/organizations.service.js';
import type { UserEntity } from '../organization/users/user.entity.js';
import { UsersService } from '../organization/users/users.service.js';

/** Makes one-time links, for operators only. */
@Injectable()
export class ConsoleCommands {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly users: UsersService,
    private readonly links: SignInLinksService,
    private readonly config: AppConfig,
  ) {}

  /** For the first owner, unless a user is named; returns the text to print. */
  async signIn(input: { org?: string; user?: string }): Promise<string> {
    const { id: orgId } = await this.organizations.resolve(input.org);
    const user = await this.userOf(orgId, input.user);
    const link = await this.linkFor(user, this.config.http.publicUrl);
    return `Opens the console as ${user.email ?? user.id} (${user.role}), once, within ${LINK_MINUTES} minutes:\n${link}`;
  }

  /** For the first owner of the only organization; null when there is none, or several. */
  async firstRunLink(url: string): Promise<string | null> {
    const orgId = await this.organizations.findOnlyId();
    return orgId === null ? null : this.linkFor(await this.users.getFirstOwner(orgId), url);
  }

  /** In the fragment, so that the secret is in no request line, log or referrer. */
  private async linkFor(user: UserEntity, url: string): Promise<string> {
    return `${url}/console/#welcome=${await this.links.create(user)}`;
  }

  private async userOf(orgId: string, email: string | undefined): Promise<UserEntity> {
    if (email === undefined) return this.users.getFirstOwner(orgId);
    const user = await this.users.getByEmail(orgId, email);
    if (user.deactivatedAt) throw new ConflictError(`${email} is deactivated and cannot sign in.`);
    return user;
  }
}
