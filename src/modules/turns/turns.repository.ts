import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '../../database/org-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { SystemDatabase } from '../../database/system-database.js';
import { SqlParameters } from '../../database/sql-parameters.js';
import { activityCtes } from '../sessions/session-activity.js';
import type { SessionEntity } from '../sessions/session.entity.js';
import type { TurnEntity } from './turn.entity.js';
import { type AgentRef, type BegunTurn, begun, type TurnRef } from './turn.js';

export type NewTurn = Pick<TurnEntity, 'orgId' | 'sessionId' | 'messageId' | 'computerId' | 'createdAt' | 'leaseUntil'>;
export type TurnState = TurnRef &
  Pick<TurnEntity, 'status' | 'computerId' | 'leaseUntil' | 'startedAt' | 'hasToolMessage'>;
export type OverdueTurn = TurnRef & Pick<TurnEntity, 'orgId'>;

export interface NextTurn extends BegunTurn {
  /** Whether other turns wait for the same computer; may be a false alarm, never misses one. */
  othersWait: boolean;
  isOpen: boolean;
}

/** `status <> 'ended'` stands beside `status = 'queued'` because Postgres needs it to use the partial index turns_open. */
@Injectable()
export class TurnsRepository {
  constructor(
    private readonly db: OrgDatabase,
    private readonly system: SystemDatabase,
  ) {}

  insert(tx: SqlTransaction, turn: NewTurn): void {
    tx.enqueue(
      `INSERT INTO turns (org_id, session_id, message_id, computer_id, created_at, lease_until, status, attempt, started_at)
       SELECT $1, $2, $3, $4, $5, $6, CASE WHEN x.is_taken THEN 'running' ELSE 'queued' END, x.is_taken::int,
              CASE WHEN x.is_taken THEN $5::timestamptz END
         FROM (SELECT $6::timestamptz IS NOT NULL AS is_taken) x`,
      [turn.orgId, turn.sessionId, turn.messageId, turn.computerId, turn.createdAt, turn.leaseUntil],
      'insert-turn',
    );
  }

  /**
   * Begins the oldest turn whose session has no running one. One statement in one round trip, because a person waits for it.
   * null: nothing waits, or a newer connection has replaced this one. 'gone': the turn was ended or begun elsewhere while
   * this statement waited for the session's lock; others may wait behind it.
   */
  async startNext(agent: AgentRef, startedAt: Date, leaseUntil: Date): Promise<NextTurn | 'gone' | null> {
    const p = new SqlParameters();
    const [orgId, at] = [p.add(agent.orgId), p.add(startedAt)];
    const [next] = await this.db.write<NextTurn | { sessionId: null }>(
      agent.orgId,
      `WITH waiting AS (
         SELECT t.session_id, t.message_id, m.content, m.seq, t.created_at, c.trusted,
                c.access = 'organization' OR c.registered_by = m.user_id AS is_open
           FROM turns t
           JOIN messages m ON m.org_id = t.org_id AND m.session_id = t.session_id AND m.id = t.message_id
           JOIN computers c ON c.org_id = t.org_id AND c.id = t.computer_id
                           AND c.agent_connection = ${p.add(agent.connectionId)}
          WHERE t.org_id = ${orgId} AND t.computer_id = ${p.add(agent.computerId)} AND t.status <> 'ended'
            AND t.status = 'queued'
            AND NOT EXISTS (SELECT FROM turns r WHERE r.org_id = t.org_id AND r.session_id = t.session_id
                                                  AND r.status = 'running')
          ORDER BY t.created_at, m.seq LIMIT 2),
       next AS (
         SELECT w.session_id, w.message_id, w.content, w.trusted, w.is_open FROM waiting w
          ORDER BY w.created_at, w.seq LIMIT 1),
       session AS (
         SELECT s.id, s.user_id, s.settings FROM sessions s, next
          WHERE s.org_id = ${orgId} AND s.id = next.session_id FOR UPDATE OF s),
       turn AS (
         UPDATE turns t SET status = 'running', attempt = t.attempt + 1, lease_until = ${p.add(leaseUntil)},
                            started_at = ${at}, has_tool_message = false
           FROM session, next
          WHERE t.org_id = ${orgId} AND t.session_id = session.id AND t.message_id = next.message_id
            AND t.status = 'queued'
         RETURNING t.session_id, t.message_id, t.attempt),
       ${activityCtes(p, { orgId, session: 'turn' }, { at: startedAt, ...begun() })}
       SELECT turn.session_id AS "sessionId", turn.message_id AS "messageId", turn.attempt, next.content,
              session.user_id AS "userId", session.settings, next.trusted, next.is_open AS "isOpen",
              (SELECT count(*) > 1 FROM waiting) AS "othersWait"
         FROM next LEFT JOIN session ON true LEFT JOIN turn ON true`,
      p.values,
      'start-next-turn',
    );
    return next?.sessionId === null ? 'gone' : (next ?? null);
  }

  async renew(orgId: string, computerId: string, turns: TurnRef[], leaseUntil: Date): Promise<TurnRef[]> {
    return this.db.transaction(orgId, (tx) =>
      tx.query<TurnRef>(
        `UPDATE turns t SET lease_until = $3
           FROM unnest($4::uuid[], $5::uuid[], $6::int[]) AS x (session_id, message_id, attempt)
          WHERE t.org_id = $1 AND t.session_id = x.session_id AND t.message_id = x.message_id AND t.attempt = x.attempt
            AND t.computer_id = $2 AND t.status = 'running'
         RETURNING t.session_id AS "sessionId", t.message_id AS "messageId", t.attempt`,
        [
          ...[orgId, computerId, leaseUntil, turns.map((turn) => turn.sessionId)],
          ...[turns.map((turn) => turn.messageId), turns.map((turn) => turn.attempt)],
        ],
      ),
    );
  }

  listRunning(orgId: string, computerId: string): Promise<TurnRef[]> {
    return this.db.read(
      orgId,
      `SELECT t.session_id AS "sessionId", t.message_id AS "messageId", t.attempt FROM turns t
        WHERE t.org_id = $1 AND t.computer_id = $2 AND t.status <> 'ended' AND t.status = 'running'
        ORDER BY t.started_at`,
      [orgId, computerId],
    );
  }

  listOverdue(now: Date, limit: number): Promise<OverdueTurn[]> {
    return this.system.query(
      `SELECT t.org_id AS "orgId", t.session_id AS "sessionId", t.message_id AS "messageId", t.attempt FROM turns t
        WHERE t.status = 'running' AND t.lease_until < $1 ORDER BY t.lease_until LIMIT $2`,
      [now, limit],
    );
  }

  async find(tx: SqlTransaction, orgId: string, sessionId: string, messageId: string): Promise<TurnState | null> {
    const [turn] = await tx.query<TurnState>(
      `SELECT t.session_id AS "sessionId", t.message_id AS "messageId", t.attempt, t.status,
              t.computer_id AS "computerId", t.lease_until AS "leaseUntil", t.started_at AS "startedAt", t.has_tool_message AS "hasToolMessage"
         FROM turns t
        WHERE t.org_id = $1 AND t.session_id = $2 AND t.message_id = $3`,
      [orgId, sessionId, messageId],
      'find-turn',
    );
    return turn ?? null;
  }

  noteToolMessage(tx: SqlTransaction, orgId: string, { sessionId, messageId }: TurnRef): void {
    tx.enqueue(
      `UPDATE turns t SET has_tool_message = true
        WHERE t.org_id = $1 AND t.session_id = $2 AND t.message_id = $3 AND NOT t.has_tool_message`,
      [orgId, sessionId, messageId],
    );
  }

  queueAgain(tx: SqlTransaction, orgId: string, { sessionId, messageId }: TurnRef): void {
    tx.enqueue(
      `UPDATE turns t SET status = 'queued', lease_until = NULL
        WHERE t.org_id = $1 AND t.session_id = $2 AND t.message_id = $3`,
      [orgId, sessionId, messageId],
    );
  }

  end(tx: SqlTransaction, orgId: string, turn: TurnRef, reason: string, at: Date): void {
    tx.enqueue(
      `UPDATE turns t ${setEnded('$4', '$5')}
        WHERE t.org_id = $1 AND t.session_id = $2 AND t.message_id = $3`,
      [orgId, turn.sessionId, turn.messageId, reason, at],
      'end-turn',
    );
  }

  async hasQueued(tx: SqlTransaction, orgId: string, sessionId: string): Promise<boolean> {
    const rows = await tx.query(
      `SELECT 1 FROM turns t WHERE t.org_id = $1 AND t.session_id = $2 AND t.status = 'queued' LIMIT 1`,
      [orgId, sessionId],
      'find-queued-turn',
    );
    return rows.length > 0;
  }

  /** Counts up to `max`. All queued turns of a session are on its present computer, which leads in the index. */
  async countQueued(
    tx: SqlTransaction,
    { orgId, id, computerId }: Pick<SessionEntity, 'orgId' | 'id' | 'computerId'>,
    max: number,
  ): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT FROM turns t
          WHERE t.org_id = $1 AND t.computer_id = $2 AND t.status <> 'ended' AND t.status = 'queued' AND t.session_id = $3
          LIMIT $4) q`,
      [orgId, computerId, id, max],
    );
    return row?.count ?? 0;
  }

  async hasRunning(tx: SqlTransaction, orgId: string, computerId: string): Promise<boolean> {
    const rows = await tx.query(
      `SELECT 1 FROM turns t
        WHERE t.org_id = $1 AND t.computer_id = $2 AND t.status <> 'ended' AND t.status = 'running' LIMIT 1`,
      [orgId, computerId],
    );
    return rows.length > 0;
  }

  /** Ordered, so that all callers lock sessions in one order. */
  async listWaitingSessions(
    tx: SqlTransaction,
    orgId: string,
    computerId: string,
    exceptUserId: string | null,
  ): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `SELECT DISTINCT s.id FROM turns t JOIN sessions s ON s.org_id = t.org_id AND s.id = t.session_id
        WHERE t.org_id = $1 AND t.computer_id = $2 AND t.status <> 'ended' AND t.status = 'queued'
          AND s.user_id IS DISTINCT FROM $3::uuid
        ORDER BY s.id`,
      [orgId, computerId, exceptUserId],
    );
    return rows.map(({ id }) => id);
  }

  async endQueued(tx: SqlTransaction, orgId: string, sessionId: string, reason: string, at: Date): Promise<string[]> {
    const ended = await tx.query<{ messageId: string }>(
      `WITH ended AS (
         UPDATE turns t ${setEnded('$3', '$4')}
          WHERE t.org_id = $1 AND t.session_id = $2 AND t.status = 'queued' RETURNING t.message_id)
       SELECT m.id AS "messageId" FROM ended
         JOIN messages m ON m.org_id = $1 AND m.session_id = $2 AND m.id = ended.message_id ORDER BY m.seq`,
      [orgId, sessionId, reason, at],
    );
    return ended.map(({ messageId }) => messageId);
  }

  /** Whether the computer has a turn of the session, or had one after `since`. */
  async hasHeld(orgId: string, computerId: string, sessionId: string, since: Date): Promise<boolean> {
    const rows = await this.db.read(
      orgId,
      `SELECT 1 FROM turns t
        WHERE t.org_id = $1 AND t.session_id = $2 AND t.computer_id = $3 AND t.started_at IS NOT NULL
          AND (t.status = 'running' OR coalesce(t.ended_at, t.started_at) >= $4)
        LIMIT 1`,
      [orgId, sessionId, computerId, since],
      'find-held-turn',
    );
    return rows.length > 0;
  }

  endOpen(tx: SqlTransaction, orgId: string, sessionId: string, reason: string, at: Date): void {
    tx.enqueue(
      `UPDATE turns t ${setEnded('$3', '$4')}
        WHERE t.org_id = $1 AND t.session_id = $2 AND t.status <> 'ended'`,
      [orgId, sessionId, reason, at],
    );
  }
}

function setEnded(reason: string, at: string): string {
  return `SET status = 'ended', end_reason = ${reason}, ended_at = ${at}, lease_until = NULL`;
}
