import { Injectable } from '@nestjs/common';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import type { ConsoleSession } from './console-session.js';

const COLUMNS = `s.org_id AS "orgId", s.id, s.token_hash AS "tokenHash", s.user_id AS "userId", s.method,
  s.api_key_id AS "apiKeyId", s.issuer, s.subject, s.sid, s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt",
  s.expires_at AS "expiresAt", s.user_agent AS "userAgent"`;

const DELETE_BATCH = 1_000;

/** Every statement on console sessions. */
@Injectable()
export class ConsoleSessionsRepository {
  constructor(
    private readonly db: OrgDatabase,
    private readonly bulk: BulkDatabase,
  ) {}

  async findByHash(orgId: string, tokenHash: Buffer): Promise<ConsoleSession | null> {
    const [session] = await this.db.read<ConsoleSession>(
      orgId,
      `SELECT ${COLUMNS} FROM console_sessions s WHERE s.org_id = $1 AND s.token_hash = $2`,
      [orgId, tokenHash],
    );
    return session ?? null;
  }

  async findById(orgId: string, id: string): Promise<ConsoleSession | null> {
    const [session] = await this.db.read<ConsoleSession>(
      orgId,
      `SELECT ${COLUMNS} FROM console_sessions s WHERE s.org_id = $1 AND s.id = $2`,
      [orgId, id],
    );
    return session ?? null;
  }

  /** Last used first. */
  listOfUser(orgId: string, userId: string): Promise<ConsoleSession[]> {
    return this.db.read(
      orgId,
      `SELECT ${COLUMNS} FROM console_sessions s WHERE s.org_id = $1 AND s.user_id = $2
        ORDER BY s.last_seen_at DESC, s.id DESC`,
      [orgId, userId],
    );
  }

  async insert(tx: SqlTransaction, session: ConsoleSession): Promise<void> {
    await tx.query(
      `INSERT INTO console_sessions (org_id, id, token_hash, user_id, method, api_key_id, issuer, subject, sid,
                                     created_at, last_seen_at, expires_at, user_agent)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        ...[session.orgId, session.id, session.tokenHash, session.userId, session.method, session.apiKeyId],
        ...[session.issuer, session.subject, session.sid, session.createdAt, session.lastSeenAt, session.expiresAt],
        session.userAgent,
      ],
    );
  }

  async updateLastSeen(orgId: string, id: string, at: Date): Promise<void> {
    await this.db.write(
      orgId,
      `UPDATE console_sessions s SET last_seen_at = $3 WHERE s.org_id = $1 AND s.id = $2 AND s.last_seen_at < $3`,
      [orgId, id, at],
    );
  }

  /** null when it has ended already. */
  async delete(tx: SqlTransaction, orgId: string, userId: string, id: string): Promise<ConsoleSession | null> {
    const [session] = await tx.query<ConsoleSession>(
      `DELETE FROM console_sessions s WHERE s.org_id = $1 AND s.user_id = $2 AND s.id = $3 RETURNING ${COLUMNS}`,
      [orgId, userId, id],
    );
    return session ?? null;
  }

  /** All of a user but the one given. */
  deleteOthers(tx: SqlTransaction, orgId: string, userId: string, keptId: string | null): Promise<ConsoleSession[]> {
    return tx.query(
      `DELETE FROM console_sessions s WHERE s.org_id = $1 AND s.user_id = $2 AND s.id IS DISTINCT FROM $3::uuid
       RETURNING ${COLUMNS}`,
      [orgId, userId, keptId],
    );
  }

  /** Keeps the `kept` that were used last. */
  deleteOldest(tx: SqlTransaction, orgId: string, userId: string, kept: number): Promise<ConsoleSession[]> {
    return tx.query(
      `DELETE FROM console_sessions s WHERE s.org_id = $1 AND s.id IN (
         SELECT o.id FROM console_sessions o WHERE o.org_id = $1 AND o.user_id = $2
          ORDER BY o.last_seen_at DESC, o.id DESC OFFSET $3)
       RETURNING ${COLUMNS}`,
      [orgId, userId, kept],
    );
  }

  /** Of all organizations, in batches. */
  async deleteEnded(expiredBefore: Date, unseenSince: Date): Promise<void> {
    for (let deleted = DELETE_BATCH; deleted === DELETE_BATCH;) {
      const rows = await this.bulk.upkeep(
        `DELETE FROM console_sessions s WHERE (s.org_id, s.id) IN (
           SELECT o.org_id, o.id FROM console_sessions o WHERE o.expires_at <= $1 OR o.last_seen_at <= $2
            LIMIT ${DELETE_BATCH}) RETURNING 1`,
        [expiredBefore, unseenSince],
      );
      deleted = rows.length;
    }
  }
}
