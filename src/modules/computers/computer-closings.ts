import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '../../database/sql-transaction.js';

/** A computer that is deleted, or that is from now on private to one user. */
export interface Closing {
  orgId: string;
  computerId: string;
  /** Who may go on using it; null: nobody. */
  exceptUserId: string | null;
  /** What people are told whose messages will not be answered there. */
  reason: string;
}

/** Somebody who keeps what waits for computers, and ends it in the transaction of the closing. */
export interface ClosingHandler {
  /** Locks what may have to be ended. Ahead of the computer itself: that is the order of everybody else. */
  lockWaiting(tx: SqlTransaction, orgId: string, computerId: string): Promise<void>;
  endWaiting(tx: SqlTransaction, closing: Closing): Promise<void>;
}

/** Where the queue of turns hears of computers that close: it knows them, and they do not know it. */
@Injectable()
export class ComputerClosings {
  private readonly handlers: ClosingHandler[] = [];

  add(handler: ClosingHandler): void {
    this.handlers.push(handler);
  }

  async lockWaiting(tx: SqlTransaction, orgId: string, computerId: string): Promise<void> {
    for (const handler of this.handlers) await handler.lockWaiting(tx, orgId, computerId);
  }

  async endWaiting(tx: SqlTransaction, closing: Closing): Promise<void> {
    for (const handler of this.handlers) await handler.endWaiting(tx, closing);
  }
}
