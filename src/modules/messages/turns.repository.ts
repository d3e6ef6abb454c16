import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '../../database/sql-transaction.js';

export interface NewTurn {
  orgId: string;
  sessionId: string;
  messageId: string;
  computerId: string;
  createdAt: Date;
}

/** Every statement on the queue of turns: what computers have to work on. */
@Injectable()
export class TurnsRepository {
  async insert(tx: SqlTransaction, turn: NewTurn): Promise<void> {
    await tx.query(
      `INSERT INTO turns (org_id, session_id, message_id, computer_id, status, created_at)
       VALUES ($1, $2, $3, $4, 'queued', $5)`,
      [turn.orgId, turn.sessionId, turn.messageId, turn.computerId, turn.createdAt],
    );
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
