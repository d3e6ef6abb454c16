import { Injectable } from '@nestjs/common';
import { isTransient, isUndefinedTable } from '../../common/errors/database-errors.js';
import { RateLimitedError, UnavailableError } from '../../common/errors/domain-error.js';
import { EventPartitions } from './event-partitions.js';
import { EventsRepository } from './events.repository.js';
import { dayOf, type EventRow } from './usage-event.js';

/** Rows per transaction, unless a single request has more. */
const BATCH_ROWS = 5_000;
/** Backpressure: beyond this, clients get a 429. */
const MAX_WAITING_ROWS = 60_000;
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
 * Usually one transaction at a time per organization; requests that arrive meanwhile share the next one. A second one runs
 * only for a full batch, so that its COPY overlaps with the first commit.
 */
@Injectable()
export class EventWriter {
  private readonly waiting = new Map<string, Waiting[]>();
  /** Running transactions by organization. */
  private readonly writers = new Map<string, number>();
  private readonly running = new Set<Waiting>();
  private writerCount = 0;
  private waitingRows = 0;

  constructor(
    private readonly events: EventsRepository,
    private readonly partitions: EventPartitions,
  ) {}

  /** Returns the rows that were new, after the commit. Partitions of their days have to exist. */
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

  /** The age of the oldest pending write; 0 when there is none. */
  get oldestWaitMs(): number {
    let oldestMs = performance.now();
    const now = oldestMs;
    for (const { sinceMs } of this.running) oldestMs = Math.min(oldestMs, sinceMs);
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
    for (const waiting of group) this.running.add(waiting);
    try {
      const rows = group.length === 1 && group[0] ? group[0].rows : group.flatMap((waiting) => waiting.rows);
      const added = new Set(await this.insert(orgId, rows));
      for (const { rows: own, resolve } of group) resolve(own.filter((row) => added.has(row)));
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      for (const waiting of group) this.running.delete(waiting);
      this.countWriters(orgId, -1);
      this.startWriters();
    }
  }

  /** The first waiting requests that fit into one transaction; at least one. */
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
    // Round robin: the organization goes behind the others.
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

/** Whether the waiting requests fill a transaction, and the first one does not exceed it. */
function isFullBatch(line: Waiting[]): boolean {
  const rows = line.reduce((sum, waiting) => sum + waiting.rows.length, 0);
  return rows >= BATCH_ROWS && (line[0]?.rows.length ?? 0) <= BATCH_ROWS;
}
