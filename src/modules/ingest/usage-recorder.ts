import { Injectable } from '@nestjs/common';
import { newId } from '../../common/new-id.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { CLIENT_CODE, EVENT_KIND, type EventType } from './event-codes.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { EventPartitions } from './event-partitions.js';

/** Something that happened in a session of this service. */
export interface SessionUsage {
  readonly orgId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly type: Extract<EventType, 'session_started' | 'user_message' | 'assistant_message'>;
  readonly at: Date;
}

const CLIENT = CLIENT_CODE['non-interactive-cli'];

/** Records what happens through the v0 API as the same events that clients report, in the transaction of the thing itself. */
@Injectable()
export class UsageRecorder {
  constructor(private readonly partitions: EventPartitions) {}

  /**
   * To be called ahead of a transaction that records things of several days: a partition that is made meanwhile may not be
   * seen by a statement that was planned before.
   */
  async prepare(from: UtcDay, to: UtcDay): Promise<void> {
    for (let day = from; !to.isBefore(day); day = day.next()) await this.partitions.ensure(day.toString());
  }

  async record(tx: SqlTransaction, { orgId, userId, sessionId, type, at }: SessionUsage): Promise<void> {
    const day = UtcDay.of(at).toString();
    await this.partitions.ensure(day);
    tx.enqueue(
      `WITH event AS (
         INSERT INTO events (at, org_id, user_id, session_id, id, kind, client) VALUES ($1, $2, $3, $4, $5, $6, $7))
       INSERT INTO dirty_days (org_id, day, events) VALUES ($2, $8, 1)`,
      [at, orgId, userId, sessionId, newId(), EVENT_KIND[type], CLIENT, day],
      'record-usage',
    );
    if (type !== 'session_started') return;
    tx.enqueue(
      `INSERT INTO session_clients (org_id, user_id, session_id, client, seen_on) VALUES ($1, $2, $3, $4, $5)`,
      [orgId, userId, sessionId, CLIENT, day],
    );
  }
}
