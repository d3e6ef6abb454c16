import { Injectable } from '@nestjs/common';
import { isTransient, isUndefinedTable } from '../../common/errors/database-errors.js';
import { RateLimitedError, UnavailableError } from '../../common/errors/domain-error.js';
import { EventPartitions } from './event-partitions.js';
import { EventsRepository } from './events.repository.js';
import { dayOf, type EventRow } from './usage-event.js';

/** How many rows go into one transaction, unless a single request brings more. */
const BATCH_ROWS = 5_000;
/** Rows that may wait at most; beyond it the client has to. */
const MAX_WAITING_ROWS = 60_000;
/** Transactions at a time, of all organizations and of one. */
const MAX_WRITERS = 4;
const MAX_WRITERS_PER_ORG = 2;
const MAX_ATTEMPTS = 3;

interface Waiting {
  readonly rows: EventRow[];
  readonly sinceMs: number;
  readonly resolve: (added: EventRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes what requests bring, one transaction at a time for each organization; a second one only for a full batch, so that
 * the database copies it while the first is counted and committed. Small requests that arrive while one is being written
 * are written together: the busier it gets, the larger the batches.
 */
@Injectable()
export class EventWriter {
  private readonly waiting = new Map<string, Waiting[]>();
  /** How many transactions each organization has under way. */
  private readonly writers = new Map<string, number>();
  private readonly underWay = new Set<Waiting>();
  private writerCount = 0;
  private waitingRows = 0;

  constructor(
    private readonly events: EventsRepository,
    private readonly partitions: EventPartitions,
  ) {}

  /** Writes the rows and returns those that were new, once they are durable. Partitions of their days have to exist. */
  write(orgId: string, rows: EventRow[]): Promise<EventRow[]> {
    if (rows.length === 0) return Promise.resolve([]);
    if (this.waitingRows + rows.length > MAX_WAITING_ROWS) {
      throw new RateLimitedError('More events are arriving than can be written. Send them again shortly.', 1);
    }
    return new Promise((resolve, reject) => {
      this.waitingRows += rows.length;
      const line = this.waiting.get(orgId) ?? [];
      this.waiting.set(orgId, line);
      line.push({ rows, sinceMs: performance.now(), resolve, reject });
      this.startWriters();
    });
  }

  /** For how long the oldest write has been waiting in line or for the database; 0 when there is none. */
  get oldestWaitMs(): number {
    let oldestMs = performance.now();
    const now = oldestMs;
    for (const { sinceMs } of this.underWay) oldestMs = Math.min(oldestMs, sinceMs);
    for (const [first] of this.waiting.values()) if (first) oldestMs = Math.min(oldestMs, first.sinceMs);
    return now - oldestMs;
  }

  private startWriters(): void {
    for (const [orgId, line] of this.waiting) {
      if (this.writerCount >= MAX_WRITERS) return;
      const writers = this.writers.get(orgId) ?? 0;
      if (writers === 0 || (writers < MAX_WRITERS_PER_ORG && isFullBatch(line))) void this.writeNext(orgId);
    }
  }

  private countWriters(orgId: string, change: 1 | -1): void {
    const writers = (this.writers.get(orgId) ?? 0) + change;
    if (writers === 0) this.writers.delete(orgId);
    else this.writers.set(orgId, writers);
    this.writerCount += change;
  }

  private async writeNext(orgId: string): Promise<void> {
    this.countWriters(orgId, 1);
    const group = this.takeGroup(orgId);
    for (const waiting of group) this.underWay.add(waiting);
    try {
      const rows = group.length === 1 && group[0] ? group[0].rows : group.flatMap((waiting) => waiting.rows);
      const added = new Set(await this.insert(orgId, rows));
      for (const { rows: own, resolve } of group) resolve(own.filter((row) => added.has(row)));
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      for (const waiting of group) this.underWay.delete(waiting);
      this.countWriters(orgId, -1);
      this.startWriters();
    }
  }

  /** The requests at the head of the line that fit into one transaction; at least one. */
  private takeGroup(orgId: string): Waiting[] {
    const line = this.waiting.get(orgId) ?? [];
    let count = 0;
    let rows = 0;
    for (const { rows: next } of line) {
      if (count > 0 && rows + next.length > BATCH_ROWS) break;
      rows += next.length;
      count++;
    }
    const group = line.splice(0, count);
    this.waitingRows -= rows;
    // Behind the others, so that one busy organization does not hold up the rest.
    this.waiting.delete(orgId);
    if (line.length > 0) this.waiting.set(orgId, line);
    return group;
  }

  private async insert(orgId: string, rows: EventRow[]): Promise<EventRow[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.events.insertNew(orgId, rows);
      } catch (error) {
        if (isUndefinedTable(error)) {
          this.partitions.forget(new Set(rows.map(dayOf)));
          throw new UnavailableError('A day of these events has just been closed. Send them again.', { cause: error });
        }
        if (!isTransient(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}

/** Whether a transaction could be filled, and not more than that, with what waits at the head of the line. */
function isFullBatch(line: Waiting[]): boolean {
  const rows = line.reduce((sum, waiting) => sum + waiting.rows.length, 0);
  return rows >= BATCH_ROWS && (line[0]?.rows.length ?? 0) <= BATCH_ROWS;
}
