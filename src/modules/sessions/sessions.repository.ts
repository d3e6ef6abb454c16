import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, toPage } from '../../http/paging/paging.js';
import { BulkDatabase } from '../../database/bulk-database.js';
import { OrgDatabase } from '../../database/org-database.js';
import { SqlParameters } from '../../database/sql-parameters.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { activityCtes, type SessionActivity } from './session-activity.js';
import { conditionsOf, type SessionFilter } from './session-filter.js';
import type { SessionSettings } from './session-settings.js';
import { SessionEntity } from './session.entity.js';

const COLUMNS = `s.org_id AS "orgId", s.id, s.user_id AS "userId", s.computer_id AS "computerId", s.client, s.title,
  s.status, s.settings, s.message_count AS "messageCount", s.input_tokens AS "inputTokens",
  s.output_tokens AS "outputTokens", s.cache_creation_tokens AS "cacheCreationTokens",
  s.cache_read_tokens AS "cacheReadTokens", s.thinking_tokens AS "thinkingTokens",
  s.created_at AS "createdAt", s.updated_at AS "updatedAt", s.completed_at AS "completedAt"`;

/** Bounds one statement, which still deletes at least one session with all its messages. */
const MAX_DELETED_MESSAGES = 20_000;

@Injectable()
export class SessionsRepository {
  constructor(
    private readonly db: OrgDatabase,
    private readonly bulk: BulkDatabase,
  ) {}

  async findOwn(orgId: string, userId: string, sessionId: string): Promise<SessionEntity | null> {
    const [session] = await this.db.read<SessionEntity>(
      orgId,
      `SELECT ${COLUMNS} FROM sessions s WHERE s.org_id = $1 AND s.id = $2 AND s.user_id = $3`,
      [orgId, sessionId, userId],
    );
    return session ?? null;
  }

  async findById(orgId: string, sessionId: string): Promise<SessionEntity | null> {
    const [session] = await this.db.read<SessionEntity>(
      orgId,
      `SELECT ${COLUMNS} FROM sessions s WHERE s.org_id = $1 AND s.id = $2`,
      [orgId, sessionId],
    );
    return session ?? null;
  }

  listById(orgId: string, ids: readonly string[]): Promise<SessionEntity[]> {
    return this.db.read(orgId, `SELECT ${COLUMNS} FROM sessions s WHERE s.org_id = $1 AND s.id = ANY ($2::uuid[])`, [
      orgId,
      ids,
    ]);
  }

  async findOwnForUpdate(
    tx: SqlTransaction,
    orgId: string,
    userId: string,
    sessionId: string,
  ): Promise<SessionEntity | null> {
    const [session] = await tx.query<SessionEntity>(
      `SELECT ${COLUMNS} FROM sessions s WHERE s.org_id = $1 AND s.id = $2 AND s.user_id = $3 FOR UPDATE`,
      [orgId, sessionId, userId],
      'lock-own-session',
    );
    return session ?? null;
  }

  async findForUpdate(tx: SqlTransaction, orgId: string, sessionId: string): Promise<SessionEntity | null> {
    const [session] = await tx.query<SessionEntity>(
      `SELECT ${COLUMNS} FROM sessions s WHERE s.org_id = $1 AND s.id = $2 FOR UPDATE`,
      [orgId, sessionId],
      'lock-session',
    );
    return session ?? null;
  }

  /** Newest first. */
  async listPage(orgId: string, filter: SessionFilter, page: PageRequest): Promise<Page<SessionEntity>> {
    const p = new SqlParameters();
    const rows = await this.db.read<SessionEntity>(
      orgId,
      `SELECT ${COLUMNS} FROM sessions s
        WHERE s.org_id = ${p.add(orgId)} ${conditionsOf(p, filter)}
          ${p.behind(page.after, 's.created_at, s.id', 'descending')}
        ORDER BY s.created_at DESC, s.id DESC LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows, page.limit, (session) => [session.createdAt.toISOString(), session.id]);
  }

  async insert(tx: SqlTransaction, session: SessionEntity): Promise<void> {
    await tx.manager.insert(SessionEntity, session);
  }

  updateSettings(tx: SqlTransaction, { orgId, id }: SessionEntity, settings: SessionSettings, at: Date): void {
    tx.enqueue(`UPDATE sessions s SET settings = $3, updated_at = $4 WHERE s.org_id = $1 AND s.id = $2`, [
      orgId,
      id,
      JSON.stringify(settings),
      at,
    ]);
  }

  updateActivity(tx: SqlTransaction, { orgId, id }: SessionEntity, activity: Required<SessionActivity>): void {
    const p = new SqlParameters();
    const target = { orgId: p.add(orgId), session: `(SELECT ${p.add(id)}::uuid AS session_id)` };
    tx.enqueue(
      `WITH ${activityCtes(p, target, activity)} SELECT FROM changed_session`,
      p.values,
      'note-session-activity',
    );
  }

  delete(tx: SqlTransaction, { orgId, id }: SessionEntity): void {
    tx.enqueue(`DELETE FROM sessions s WHERE s.org_id = $1 AND s.id = $2`, [orgId, id]);
  }

  /** In any status; returns the ids of one batch. */
  async deleteOfUser(tx: SqlTransaction, orgId: string, userId: string, batch: number): Promise<string[]> {
    const deleted = await tx.query<{ id: string }>(
      `DELETE FROM sessions s
        WHERE s.org_id = $1 AND s.id IN (
          SELECT o.id FROM sessions o WHERE o.org_id = $1 AND o.user_id = $2 ORDER BY o.created_at, o.id LIMIT $3)
       RETURNING s.id`,
      [orgId, userId, batch],
    );
    return deleted.map(({ id }) => id);
  }

  /** Deletes one batch of sessions that have not changed since `before`; returns how many. */
  async deleteExpired(orgId: string, before: Date, batch: number): Promise<number> {
    const deleted = await this.bulk.upkeep(
      `WITH expired AS MATERIALIZED (
         SELECT e.id, e.message_count, e.updated_at FROM sessions e
          WHERE e.org_id = $1 AND e.updated_at < $2 AND e.status <> 'running'
          ORDER BY e.updated_at LIMIT $3 FOR UPDATE SKIP LOCKED),
       counted AS (
         SELECT x.id, sum(x.message_count) OVER (ORDER BY x.updated_at, x.id) - x.message_count AS messages_before
           FROM expired x)
       DELETE FROM sessions s USING counted c
        WHERE s.org_id = $1 AND s.id = c.id AND c.messages_before < ${MAX_DELETED_MESSAGES}
       RETURNING 1`,
      [orgId, before, batch],
    );
    return deleted.length;
  }
}
