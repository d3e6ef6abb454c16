import type { Logger } from '@nestjs/common';
import { sqlState } from '../common/errors/database-errors.js';

const EVERY_MS = 1_000;
const ROWS_AT_ONCE = 500;
const FOREIGN_KEY_VIOLATION = '23503';

export interface WriteBehindOptions<Row> {
  readonly logger: Logger;
  /** Adds a row to one that waits under the same key. */
  readonly merge: (waiting: Row, row: Row) => void;
  /** In one transaction; rows of a failed one wait for the next time. One call at a time. */
  readonly write: (orgId: string, rows: Row[]) => Promise<void>;
  /** Rows that may wait; further keys are dropped. Reached only while the database is away. */
  readonly maxRows: number;
}

/**
 * Collects counters in memory and writes them once a second, so that what is counted does not wait for it. A process that is
 * killed loses at most the last second of them.
 */
export class WriteBehind<Row> {
  private waiting = new Map<string, Map<string, Row>>();
  private rowCount = 0;
  private readonly timer: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();
  private isWriting = false;

  constructor(private readonly options: WriteBehindOptions<Row>) {
    this.timer = setInterval(() => {
      if (!this.isWriting && this.rowCount > 0) void this.flush();
    }, EVERY_MS);
    this.timer.unref();
  }

  add(orgId: string, key: string, row: Row): void {
    const rows = this.waiting.get(orgId) ?? new Map<string, Row>();
    const known = rows.get(key);
    if (known) this.options.merge(known, row);
    else if (this.rowCount < this.options.maxRows) {
      rows.set(key, row);
      this.rowCount++;
      this.waiting.set(orgId, rows);
    }
  }

  get isFull(): boolean {
    return this.rowCount >= this.options.maxRows;
  }

  /** Resolves when everything that was added before has been tried. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.writeAll());
    return this.writing;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    const taken = this.waiting;
    this.waiting = new Map();
    this.rowCount = 0;
    for (const [orgId, rows] of taken) {
      const entries = [...rows];
      while (entries.length > 0) await this.write(orgId, entries.splice(0, ROWS_AT_ONCE));
    }
    this.isWriting = false;
  }

  private async write(orgId: string, entries: [key: string, row: Row][]): Promise<void> {
    try {
      await this.options.write(
        orgId,
        entries.map(([, row]) => row),
      );
    } catch (error) {
      if (sqlState(error) === FOREIGN_KEY_VIOLATION) return; // the organization has been removed
      this.options.logger.warn(`Counters could not be written and wait: ${String(error)}`);
      for (const [key, row] of entries) this.add(orgId, key, row);
    }
  }
}
