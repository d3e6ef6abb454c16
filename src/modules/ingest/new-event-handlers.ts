import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { EventRow } from './usage-event.js';

export type NewEventHandler = (client: PoolClient, orgId: string, events: readonly EventRow[]) => Promise<void>;

/** What modules above ingest do with new events, in the transaction that stores them. */
@Injectable()
export class NewEventHandlers {
  private readonly handlers: NewEventHandler[] = [];

  add(handler: NewEventHandler): void {
    this.handlers.push(handler);
  }

  async run(client: PoolClient, orgId: string, events: readonly EventRow[]): Promise<void> {
    for (const handler of this.handlers) await handler(client, orgId, events);
  }
}
