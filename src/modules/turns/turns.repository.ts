import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '../../database/org-database.js';
import type { Topic } from '../../database/notification-topics.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { SystemDatabase } from '../../database/system-database.js';
import type { SessionSettings } from '../sessions/session-settings.js';
import type { SessionEntity } from '../sessions/session.entity.js';
import type { ContentBlock } from '../messages/message.entity.js';

export interface NewTurn {
  orgId: string;
  sessionId: string;
  messageId: string;
  computerId: string;
  createdAt: Date;
  /** Until when the agent has it that takes it at once; null: it waits for one. */
  leaseUntil: Date | null;
}

/** A turn, and which attempt at it. */
export interface TurnAttempt {
  sessionId: string;
  messageId: string;
  attempt: number;
}

/** On whose behalf turns are taken: the connection that speaks for a computer. */
export interface TurnTaker {
  readonly orgId: string;
  readonly computerId: string;
  readonly connectionId: string;
}

export interface TurnState {
  status: 'queued' | 'running' | 'ended';
  attempt: number;
  computerId: string;
  /** Whether this attempt has appended a message of a tool. */
  hasToolMessage: boolean;
}

/** A turn that has just begun, and what is needed of its session. */
export interface NextTurn extends TurnAttempt {
  content: ContentBlock[];
  userId: string;
  settings: SessionSettings;
  /** Whether secrets may travel to its computer. */
  trusted: boolean;
}

/** The same, with what may have changed while it waited; one too many may be counted among those that wait. */
export interface NextOfQueue extends NextTurn {
  othersWait: boolean;
  /** Whether its user may still use the computer. */
  isOpen: boolean;
}

/** Every statement on the queue of turns: what computers have to work on. */
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
   * Begins the oldest turn that waits for a computer behind no running one of its session, and notes that in the session:
   * one statement in one flight, because a person waits for this. null when there is none, or when another connection
   * speaks for the computer by now; 'gone' when it was dropped, or taken, while its session was waited for: others may
   * wait behind it. Of two that race for the same session, an index lets only one begin.
   */
  async startNext(taker: TurnTaker, startedAt: Date, leaseUntil: Date): Promise<NextOfQueue | 'gone' | null> {
    const [next] = await this.db.write<NextOfQueue | { sessionId: null }>(
      taker.orgId,
      `WITH waiting AS (
         SELECT t.session_id, t.message_id, m.content, m.seq, t.created_at, c.trusted,
                c.access = 'organization' OR c.registered_by = m.user_id AS is_open
           FROM turns t
           JOIN messages m ON m.org_id = t.org_id AND m.session_id = t.session_id AND m.id = t.message_id
           JOIN computers c ON c.org_id = t.org_id AND c.id = t.computer_id AND c.agent_connection = $3
          WHERE t.org_id = $1 AND t.computer_id = $2 AND t.status <> 'ended' AND t.status = 'queued'
            AND NOT EXISTS (SELECT FROM turns r WHERE r.org_id = t.org_id AND r.session_id = t.session_id
                                                  AND r.status = 'running')
          ORDER BY t.created_at, m.seq LIMIT 2),
       next AS (
         SELECT w.session_id, w.message_id, w.content, w.trusted, w.is_open FROM waiting w
          ORDER BY w.created_at, w.seq LIMIT 1),
       session AS (
         SELECT s.id, s.user_id, s.settings FROM sessions s, next
          WHERE s.org_id = $1 AND s.id = next.session_id FOR UPDATE OF s),
       turn AS (
         UPDATE turns t
            SET status = 'running', attempt = t.attempt + 1, lease_until = $5, started_at = $4, has_tool_message = false
           FROM session, next
          WHERE t.org_id = $1 AND t.session_id = session.id AND t.message_id = next.message_id AND t.status = 'queued'
         RETURNING t.session_id, t.message_id, t.attempt),
       noted AS (
         UPDATE sessions s SET status = 'running', completed_at = NULL, updated_at = $4, event_seq = s.event_seq + 1
           FROM turn WHERE s.org_id = $1 AND s.id = turn.session_id
         RETURNING s.id, s.event_seq),
       event AS (
         INSERT INTO session_events (org_id, session_id, seq, type, status, created_at)
         SELECT $1, noted.id, noted.event_seq, 'status.changed', 'running', $4 FROM noted)
       SELECT turn.session_id AS "sessionId", turn.message_id AS "messageId", turn.attempt, next.content,
              session.user_id AS "userId", session.settings, next.trusted, next.is_open AS "isOpen",
              (SELECT count(*) > 1 FROM waiting) AS "othersWait",
              CASE WHEN turn.session_id IS NOT NULL THEN
                pg_notify($6, json_build_object('orgId', $1::uuid, 'sessionId', turn.session_id)::text) END
         FROM next LEFT JOIN session ON true LEFT JOIN turn ON true`,
      [taker.orgId, taker.computerId, taker.connectionId, startedAt, leaseUntil, 'session_changed' satisfies Topic],
      'start-next-turn',
    );
    return next?.sessionId === null ? 'gone' : (next ?? null);
  }

  /** Extends leases; returns those of the attempts that are still running on this computer. */
  async renew(orgId: string, computerId: string, turns: TurnAttempt[], leaseUntil: Date): Promise<TurnAttempt[]> {
    return this.db.transaction(orgId, (tx) =>
      tx.query<TurnAttempt>(
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

  listRunning(orgId: string, computerId: string): Promise<TurnAttempt[]> {
    return this.db.read(
      orgId,
      `SELECT t.session_id AS "sessionId", t.message_id AS "messageId", t.attempt FROM turns t
        WHERE t.org_id = $1 AND t.computer_id = $2 AND t.status <> 'ended' AND t.status = 'running'
        ORDER BY t.started_at`,
      [orgId, computerId],
    );
  }

  /** Turns of any organization whose lease ran out before `now`. */
  listExpired(now: Date, limit: number): Promise<(TurnAttempt & { orgId: string })[]> {
    return this.system.query(
      `SELECT t.org_id AS "orgId", t.session_id AS "sessionId", t.message_id AS "messageId", t.attempt FROM turns t
        WHERE t.status = 'running' AND t.lease_until < $1 ORDER BY t.lease_until LIMIT $2`,
      [now, limit],
    );
  }

  async find(tx: SqlTransaction, orgId: string, sessionId: string, messageId: string): Promise<TurnState | null> {
    const [turn] = await tx.query<TurnState>(
      `SELECT t.status, t.attempt, t.computer_id AS "computerId", t.has_tool_message AS "hasToolMessage" FROM turns t
        WHERE t.org_id = $1 AND t.session_id = $2 AND t.message_id = $3`,
      [orgId, sessionId, messageId],
      'find-turn',
    );
    return turn ?? null;
  }

  /** `leaseBefore`: only when its lease ran out before that; says whether it was so. */
  async hasExpired(tx: SqlTransaction, orgId: string, turn: TurnAttempt, leaseBefore: Date): Promise<boolean> {
    const rows = await tx.query(
      `SELECT 1 FROM turns t
        WHERE t.org_id = $1 AND t.session_id = $2 AND t.message_id = $3 AND t.attempt = $4 AND t.status = 'running'
          AND t.lease_until < $5`,
      [orgId, turn.sessionId, turn.messageId, turn.attempt, leaseBefore],
    );
    return rows.length > 0;
  }

  noteToolMessage(tx: SqlTransaction, orgId: string, { sessionId, messageId }: TurnAttempt): void {
    tx.enqueue(
      `UPDATE turns t SET has_tool_message = true
        WHERE t.org_id = $1 AND t.session_id = $2 AND t.message_id = $3 AND NOT t.has_tool_message`,
      [orgId, sessionId, messageId],
    );
  }

  queueAgain(tx: SqlTransaction, orgId: string, { sessionId, messageId }: TurnAttempt): void {
    tx.enqueue(
      `UPDATE turns t SET status = 'queued', lease_until = NULL
        WHERE t.org_id = $1 AND t.session_id = $2 AND t.message_id = $3`,
      [orgId, sessionId, messageId],
    );
  }

  end(tx: SqlTransaction, orgId: string, turn: TurnAttempt, reason: string, at: Date): void {
    tx.enqueue(
      `UPDATE turns t SET status = 'ended', end_reason = $4, ended_at = $5, lease_until = NULL
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

  /** How many turns of a session wait, counted up to `max`. It cannot move meanwhile, so all of them are on one computer. */
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

  /** Sessions with turns that wait for a computer, of everybody but one user, always in the same order. */
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

  /** Ends what waits in a session, but not what runs; returns the messages that will not be answered, in their order. */
  async endQueued(tx: SqlTransaction, orgId: string, sessionId: string, reason: string, at: Date): Promise<string[]> {
    const ended = await tx.query<{ messageId: string }>(
      `WITH ended AS (
         UPDATE turns t SET status = 'ended', end_reason = $3, ended_at = $4, lease_until = NULL
          WHERE t.org_id = $1 AND t.session_id = $2 AND t.status = 'queued' RETURNING t.message_id)
       SELECT m.id AS "messageId" FROM ended
         JOIN messages m ON m.org_id = $1 AND m.session_id = $2 AND m.id = ended.message_id ORDER BY m.seq`,
      [orgId, sessionId, reason, at],
    );
    return ended.map(({ messageId }) => messageId);
  }

  /** Whether a computer has a turn of this session, or had one that ended or was lost after `since`. */
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

  /** Ends the running turn of a session and those that wait; returns how many there were. */
  async endOpen(tx: SqlTransaction, orgId: string, sessionId: string, reason: string, at: Date): Promise<number> {
    const ended = await tx.query(
      `UPDATE turns t SET status = 'ended', end_reason = $3, ended_at = $4, lease_until = NULL
        WHERE t.org_id = $1 AND t.session_id = $2 AND t.status <> 'ended' RETURNING 1`,
      [orgId, sessionId, reason, at],
    );
    return ended.length;
  }
}
