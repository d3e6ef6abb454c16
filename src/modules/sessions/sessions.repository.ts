import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, toPage } from '../../http/paging/paging.js';
import { BulkDatabase } from '../../database/bulk-database.js';
import { OrgDatabase } from '../../database/org-database.js';
import { SqlParameters } from '../../database/sql-parameters.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { SystemDatabase } from '../../database/system-database.js';
import type { SessionEvent } from './session-events.js';
import type { SessionSettings } from './session-settings.js';
import { SessionEntity } from './session.entity.js';

const COLUMNS = `s.org_id AS "orgId", s.id, s.user_id AS "userId", s.computer_id AS "computerId", s.title, s.status,
  s.settings, s.message_count AS "messageCount", s.input_tokens AS "inputTokens",
  s.output_tokens AS "outputTokens", s.cache_creation_tokens AS "cacheCreationTokens",
  s.cache_read_tokens AS "cacheReadTokens", s.thinking_tokens AS "thinkingTokens",
  s.created_at AS "createdAt", s.updated_at AS "updatedAt", s.completed_at AS "completedAt"`;

/** Messages that one statement deletes together with their sessions; but always those of one session. */
const MAX_DELETED_MESSAGES = 20_000;

/** What changes about a session when something happens in it. */
export interface SessionActivity {
  at: Date;
  addedMessages: number;
  status: SessionEntity['status'];
  completedAt: Date | null;
  computerId: string;
  title: string | null;
  events: SessionEvent[];
}

/** Every statement on sessions and their events. */
@Injectable()
export class SessionsRepository {
  constructor(
    private readonly db: OrgDatabase,
    private readonly system: SystemDatabase,
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

  /** The sessions of a user, newest first. */
  async listPage(
    orgId: string,
    userId: string,
    page: PageRequest,
    computerId: string | null,
  ): Promise<Page<SessionEntity>> {
    const p = new SqlParameters();
    const rows = await this.db.read<SessionEntity>(
      orgId,
      `SELECT ${COLUMNS} FROM sessions s
        WHERE s.org_id = ${p.add(orgId)} AND s.user_id = ${p.add(userId)}
          ${p.when(computerId, (id) => `s.computer_id = ${id}`)}
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

  /**
   * Notes what happened, together with its events. The counter that numbers the events is advanced in the same update:
   * the row lock makes their order the order of the commits, so that a reader cannot miss one.
   */
  updateActivity(tx: SqlTransaction, { orgId, id }: SessionEntity, activity: SessionActivity): void {
    const { at, addedMessages, status, completedAt, computerId, title, events } = activity;
    tx.enqueue(
      `WITH session AS (
         UPDATE sessions s
            SET message_count = s.message_count + $3, status = $4, completed_at = $5, computer_id = $6, title = $7,
                updated_at = $8, event_seq = s.event_seq + $9
          WHERE s.org_id = $1 AND s.id = $2
         RETURNING s.event_seq - $9 AS seq)
       INSERT INTO session_events (org_id, session_id, seq, type, message_id, status, created_at)
       SELECT $1, $2, session.seq + e.n, e.type, e.message_id, e.status, $8
         FROM session, unnest($10::text[], $11::uuid[], $12::text[]) WITH ORDINALITY AS e (type, message_id, status, n)`,
      [
        ...[orgId, id, addedMessages, status, completedAt, computerId, title, at, events.length],
        events.map((event) => event.type),
        events.map((event) => ('messageId' in event ? event.messageId : null)),
        events.map((event) => ('status' in event ? event.status : null)),
      ],
      'note-session-activity',
    );
  }

  delete(tx: SqlTransaction, { orgId, id }: SessionEntity): void {
    tx.enqueue(`DELETE FROM sessions s WHERE s.org_id = $1 AND s.id = $2`, [orgId, id]);
  }

  /** Organizations that have set a retention, with the days of it. */
  listRetentions(): Promise<{ orgId: string; days: number }[]> {
    return this.system.query(
      `SELECT c.org_id AS "orgId", (c.settings ->> 'sessionRetentionDays')::int AS days
         FROM (SELECT DISTINCT ON (c.org_id) c.org_id, c.settings FROM enterprise_controls c
                ORDER BY c.org_id, c.revision DESC) c
        WHERE c.settings ? 'sessionRetentionDays'`,
    );
  }

  /** Whatever their state; returns the ids of a batch of them, none when there are no more. */
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

  /** Deletes some sessions that have not changed since `before`, at most `batch`; returns how many. */
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
