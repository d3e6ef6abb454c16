import { Injectable } from '@nestjs/common';
import type { RequestClient } from '../../common/access/principal.js';
import { newId } from '../../common/new-id.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { CLIENT_CODE, EVENT_KIND, type EventType } from './event-codes.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { EventPartitions } from './event-partitions.js';
import { EventsRepository } from './events.repository.js';
import { SessionClientsRepository } from './session-clients.repository.js';

export interface SessionUsage {
  readonly orgId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly type: Extract<EventType, 'session_started' | 'user_message' | 'assistant_message'>;
  readonly at: Date;
  readonly client: RequestClient;
}

/** Records what happens in sessions of this service as usage events, in the transaction of the change. */
@Injectable()
export class UsageRecorder {
  constructor(
    private readonly partitions: EventPartitions,
    private readonly events: EventsRepository,
    private readonly sessionClients: SessionClientsRepository,
  ) {}

  /** Call before a transaction that records several days: a plan made earlier in it may miss a new partition. */
  async prepare(from: UtcDay, to: UtcDay): Promise<void> {
    for (let day = from; !to.isBefore(day); day = day.next()) await this.partitions.ensure(day.toString());
  }

  async record(tx: SqlTransaction, { orgId, userId, sessionId, type, at, client }: SessionUsage): Promise<void> {
    const day = UtcDay.of(at).toString();
    await this.partitions.ensure(day);
    const event = { orgId, userId, sessionId, client: CLIENT_CODE[client] };
    this.events.insert(tx, { ...event, id: newId(), kind: EVENT_KIND[type], at, day });
    if (type === 'session_started') this.sessionClients.insert(tx, { ...event, day });
  }
}
