import { Injectable } from '@nestjs/common';
import { Role } from '../../../common/access/role.enum.js';
import { type Page, type PageRequest, toPage } from '../../../http/paging/paging.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { SqlParameters } from '../../../database/sql-parameters.js';
import type { SqlReader, SqlTransaction } from '../../../database/sql-transaction.js';
import { erasedSubject, UserIdentityEntity } from './user-identity.entity.js';
import { emailKey, UserEntity } from './user.entity.js';

export const USER_COLUMNS = `u.org_id AS "orgId", u.id, u.email, u.email_key AS "emailKey", u.role, u.first_name AS "firstName",
  u.last_name AS "lastName", u.metadata, u.created_at AS "createdAt", u.deactivated_at AS "deactivatedAt",
  u.last_sign_in_at AS "lastSignInAt", u.team_claim AS "teamClaim", u.team_claimed_at AS "teamClaimedAt"`;

@Injectable()
export class UsersRepository {
  constructor(private readonly db: OrgDatabase) {}

  async findById(orgId: string, userId: string): Promise<UserEntity | null> {
    const [user] = await this.db.read<UserEntity>(
      orgId,
      `SELECT ${USER_COLUMNS} FROM users u WHERE u.org_id = $1 AND u.id = $2`,
      [orgId, userId],
    );
    return user ?? null;
  }

  async findByEmail(orgId: string, email: string): Promise<UserEntity | null> {
    const [user] = await this.db.read<UserEntity>(
      orgId,
      `SELECT ${USER_COLUMNS} FROM users u WHERE u.org_id = $1 AND u.email_key = $2`,
      [orgId, emailKey(email)],
    );
    return user ?? null;
  }

  async findByIdentity(orgId: string, issuer: string, subject: string): Promise<UserEntity | null> {
    const [user] = await this.db.read<UserEntity>(
      orgId,
      `SELECT ${USER_COLUMNS} FROM user_identities i JOIN users u ON u.org_id = i.org_id AND u.id = i.user_id
        WHERE i.org_id = $1 AND i.issuer = $2 AND i.subject = ANY ($3::text[])`,
      [orgId, issuer, [subject, erasedSubject(issuer, subject)]],
    );
    return user ?? null;
  }

  async findFirstOwner(orgId: string): Promise<UserEntity | null> {
    const [user] = await this.db.read<UserEntity>(
      orgId,
      `SELECT ${USER_COLUMNS} FROM users u
        WHERE u.org_id = $1 AND u.role = $2 AND u.deactivated_at IS NULL ORDER BY u.created_at, u.id LIMIT 1`,
      [orgId, Role.Owner],
    );
    return user ?? null;
  }

  /** Active users, oldest first; `onlyUserId`: at most this one. */
  async listPage(orgId: string, page: PageRequest, onlyUserId: string | null): Promise<Page<UserEntity>> {
    const p = new SqlParameters();
    const rows = await this.db.read<UserEntity>(
      orgId,
      `SELECT ${USER_COLUMNS} FROM users u
        WHERE u.org_id = ${p.add(orgId)} AND u.deactivated_at IS NULL
          ${p.when(onlyUserId, (id) => `u.id = ${id}`)}
          ${p.behind(page.after, 'u.created_at, u.id', 'ascending')}
        ORDER BY u.created_at, u.id LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows, page.limit, (user) => [user.createdAt.toISOString(), user.id]);
  }

  /** By id; without those that do not exist. */
  async listEmails(reader: SqlReader, orgId: string, userIds: string[]): Promise<Map<string, string | null>> {
    const rows = await reader.query<{ id: string; email: string | null }>(
      `SELECT u.id, u.email FROM users u WHERE u.org_id = $1 AND u.id = ANY ($2::uuid[])`,
      [orgId, userIds],
    );
    return new Map(rows.map(({ id, email }) => [id, email]));
  }

  /** By key of the address, deactivated users included. */
  async listIdsByEmailKey(reader: SqlReader, orgId: string, emailKeys: string[]): Promise<Map<string, string>> {
    const rows = await reader.query<{ id: string; emailKey: string }>(
      `SELECT u.id, u.email_key AS "emailKey" FROM users u WHERE u.org_id = $1 AND u.email_key = ANY ($2::text[])`,
      [orgId, emailKeys],
    );
    return new Map(rows.map(({ id, emailKey: key }) => [key, id]));
  }

  async findForUpdate(tx: SqlTransaction, orgId: string, userId: string): Promise<UserEntity | null> {
    const [user] = await tx.query<UserEntity>(
      `SELECT ${USER_COLUMNS} FROM users u WHERE u.org_id = $1 AND u.id = $2 FOR UPDATE`,
      [orgId, userId],
    );
    return user ?? null;
  }

  /** Locked, so that two owners cannot demote each other at once. */
  async listOwnersForUpdate(tx: SqlTransaction, orgId: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `SELECT u.id FROM users u
        WHERE u.org_id = $1 AND u.role = $2 AND u.deactivated_at IS NULL ORDER BY u.id FOR UPDATE`,
      [orgId, Role.Owner],
    );
    return rows.map((row) => row.id);
  }

  async insert(tx: SqlTransaction, user: UserEntity): Promise<void> {
    await tx.manager.insert(UserEntity, user);
  }

  async insertIdentity(tx: SqlTransaction, identity: UserIdentityEntity): Promise<void> {
    await tx.manager.insert(UserIdentityEntity, identity);
  }

  async update(
    tx: SqlTransaction,
    orgId: string,
    userId: string,
    changes: Partial<Pick<UserEntity, 'role' | 'deactivatedAt'>>,
  ): Promise<void> {
    await tx.manager.update(UserEntity, { orgId, id: userId }, changes);
  }

  async erase(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    await tx.query(
      `UPDATE users u SET email = NULL, email_key = NULL, first_name = '', last_name = '', metadata = '{}',
              team_claim = NULL
        WHERE u.org_id = $1 AND u.id = $2`,
      [orgId, userId],
    );
  }

  /** Subjects become hashes, so that their tokens stay refused. */
  async eraseIdentities(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    const identities = await tx.query<{ issuer: string; subject: string }>(
      `SELECT i.issuer, i.subject FROM user_identities i
        WHERE i.org_id = $1 AND i.user_id = $2 AND i.subject NOT LIKE 'erased:%'`,
      [orgId, userId],
    );
    for (const { issuer, subject } of identities) {
      await tx.query(
        `UPDATE user_identities i SET subject = $4 WHERE i.org_id = $1 AND i.issuer = $2 AND i.subject = $3`,
        [orgId, issuer, subject, erasedSubject(issuer, subject)],
      );
    }
  }

  /** Returns whether the claim is new: not from an older token than the last one. */
  async updateTeamClaim(
    tx: SqlTransaction,
    orgId: string,
    userId: string,
    { key, at }: { key: string; at: Date },
  ): Promise<boolean> {
    const updated = await tx.query(
      `UPDATE users u SET team_claim = $3, team_claimed_at = $4
        WHERE u.org_id = $1 AND u.id = $2 AND u.team_claim IS DISTINCT FROM $3
          AND (u.team_claimed_at IS NULL OR u.team_claimed_at <= $4)
       RETURNING 1`,
      [orgId, userId, key, at],
    );
    return updated.length > 0;
  }

  /** Writes at most once an hour. */
  async updateLastSignIn(tx: SqlTransaction, orgId: string, userId: string, hour: Date): Promise<void> {
    await tx.query(
      `UPDATE users u SET last_sign_in_at = $3
        WHERE u.org_id = $1 AND u.id = $2 AND (u.last_sign_in_at IS NULL OR u.last_sign_in_at < $3)`,
      [orgId, userId, hour],
    );
  }
}
