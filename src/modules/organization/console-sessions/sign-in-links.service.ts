import { Injectable } from '@nestjs/common';
import {
  hashOrganizationSecret,
  newOrganizationSecret,
  organizationOf,
} from '../../../common/access/organization-secret.js';
import { newId } from '../../../common/new-id.js';
import { Clock } from '../../../common/time/clock.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import type { UserEntity } from '../users/user.entity.js';
import { UsersRepository } from '../users/users.repository.js';
import { type SignInLink, SignInLinksRepository } from './sign-in-links.repository.js';

export const LINK_MINUTES = 15;

/** Secrets that sign one user in, once. Made by an operator; a browser gets them in the fragment of an address. */
@Injectable()
export class SignInLinksService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly links: SignInLinksRepository,
    private readonly users: UsersRepository,
    private readonly auditLog: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** Returns the secret, which is known only now. */
  async create({ orgId, id: userId }: UserEntity): Promise<string> {
    const secret = newOrganizationSecret(orgId);
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + LINK_MINUTES * 60_000);
    await this.db.transaction(orgId, (tx) => {
      this.links.insert(tx, {
        orgId,
        id: newId(),
        secretHash: hashOrganizationSecret(secret),
        userId,
        createdAt,
        expiresAt,
      });
      this.auditLog.record(tx, orgId, null, { action: 'console.link_created', target: userId, after: { expiresAt } });
      tx.notify('credential_added', { orgId, userId });
      return Promise.resolve();
    });
    return secret;
  }

  /** The user whom the secret signs in; null when it is unknown, used or too old. */
  async redeem(secret: string): Promise<UserEntity | null> {
    const orgId = organizationOf(secret);
    const link = orgId && (await this.links.take(orgId, hashOrganizationSecret(secret)));
    if (!link) return null;
    const user = await this.users.findById(link.orgId, link.userId);
    if (link.expiresAt > this.clock.now()) return user?.deactivatedAt ? null : user;
    await this.noteExpired(link, user);
    return null;
  }

  private async noteExpired({ orgId, userId, expiresAt }: SignInLink, user: UserEntity | null): Promise<void> {
    await this.db.transaction(orgId, (tx) => {
      const actor = { userId, email: user?.email ?? null };
      const after = { method: 'link', reason: 'The link was too old.', expiresAt };
      this.auditLog.record(tx, orgId, actor, { action: 'console.sign_in_refused', target: userId, after });
      return Promise.resolve();
    });
  }
}
