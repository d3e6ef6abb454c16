import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '../../database/sql-transaction.js';

/** A computer is deleted, or becomes private to one user. */
export interface Closing {
  orgId: string;
  computerId: string;
  /** Who may go on using it; null: nobody. */
  exceptUserId: string | null;
  reason: string; // shown to the users whose messages are not answered
}

/** Owns work that waits for computers; called in the transaction of the closing. */
export interface ClosingHandler {
  /** Called before the computer is locked: everybody locks sessions first, which avoids deadlocks. */
  lockWaiting(tx: SqlTransaction, orgId: string, computerId: string): Promise<void>;
  hasRunning(tx: SqlTransaction, orgId: string, computerId: string): Promise<boolean>;
  endWaiting(tx: SqlTransaction, closing: Closing): Promise<void>;
}

/** Connects computers with the queue of turns, which this module may not import. */
@Injectable()
export class ComputerClosings {
  private readonly handlers: ClosingHandler[] = [];

  add(handler: ClosingHandler): void {
    this.handlers.push(handler);
  }

  async lockWaiting(tx: SqlTransaction, orgId: string, computerId: string): Promise<void> {
    for (const handler of this.handlers) await handler.lockWaiting(tx, orgId, computerId);
  }

  async hasRunning(tx: SqlTransaction, orgId: string, computerId: string): Promise<boolean> {
    for (const handler of this.handlers) if (await handler.hasRunning(tx, orgId, computerId)) return true;
    return false;
  }

  async endWaiting(tx: SqlTransaction, closing: Closing): Promise<void> {
    for (const handler of this.handlers) await handler.endWaiting(tx, closing);
  }
}
