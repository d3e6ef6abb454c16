import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { SystemDatabase } from '../../database/system-database.js';

/** How far the demo is filled: the row of its organization in "demo_fills". */
export interface DemoFill {
  readonly orgId: string;
  /** Who fills it; null: nobody. */
  readonly worker: string | null;
  readonly seenAt: Date;
  readonly phase: string;
  /** 0 to 1, of everything. */
  readonly share: number;
  /** Whether the newest weeks are there. */
  readonly hasCharts: boolean;
  readonly finishedAt: Date | null;
  readonly failure: string | null;
}

export interface FillProgress {
  readonly phase: string;
  readonly share: number;
  readonly hasCharts: boolean;
}

const CLAIMED = `worker = $2, seen_at = $3, phase = '', share = 0, finished_at = NULL, failure = NULL`;

/** As the database owner: callers are of other organizations than the demo. */
@Injectable()
export class DemoFillsRepository {
  constructor(private readonly system: SystemDatabase) {}

  async find(orgId: string): Promise<DemoFill | null> {
    const [fill] = await this.system.query<DemoFill>(
      `SELECT f.org_id AS "orgId", f.worker, f.seen_at AS "seenAt", f.phase, f.share, f.has_charts AS "hasCharts",
              f.finished_at AS "finishedAt", f.failure
         FROM demo_fills f WHERE f.org_id = $1`,
      [orgId],
    );
    return fill ?? null;
  }

  /** False when somebody else fills it (seen since `deadBefore`), or when it was finished since `oldBefore`. */
  async claim(
    tx: SqlTransaction,
    { orgId, worker, now }: { orgId: string; worker: string; now: Date },
    { deadBefore, oldBefore }: { deadBefore: Date; oldBefore: Date },
  ): Promise<boolean> {
    const claimed = await tx.query(
      `INSERT INTO demo_fills AS f (org_id, worker, seen_at) VALUES ($1, $2, $3)
       ON CONFLICT (org_id) DO UPDATE SET ${CLAIMED}
        WHERE (f.worker IS NULL OR f.seen_at < $4) AND (f.finished_at IS NULL OR f.finished_at < $5)
       RETURNING f.org_id`,
      [orgId, worker, now, deadBefore, oldBefore],
    );
    return claimed.length > 0;
  }

  /** One that its worker has left, neither finished nor failed. */
  async claimAbandoned(worker: string, now: Date, deadBefore: Date): Promise<string | null> {
    return this.system.transaction(async (tx) => {
      const [found] = await tx.query<{ orgId: string }>(
        `SELECT f.org_id AS "orgId" FROM demo_fills f
          WHERE f.finished_at IS NULL AND f.failure IS NULL AND (f.worker IS NULL OR f.seen_at < $1)
          LIMIT 1 FOR UPDATE SKIP LOCKED`,
        [deadBefore],
      );
      if (!found) return null;
      await tx.query(`UPDATE demo_fills f SET ${CLAIMED} WHERE f.org_id = $1`, [found.orgId, worker, now]);
      return found.orgId;
    });
  }

  /** False when it is filled by somebody else meanwhile, or was removed. */
  async renew(orgId: string, worker: string, now: Date, progress: FillProgress): Promise<boolean> {
    const { phase, share, hasCharts } = progress;
    return this.update(
      `UPDATE demo_fills f SET seen_at = $3, phase = $4, share = $5, has_charts = f.has_charts OR $6
        WHERE f.org_id = $1 AND f.worker = $2 RETURNING 1`,
      [orgId, worker, now, phase, share, hasCharts],
    );
  }

  async finish(orgId: string, worker: string, now: Date): Promise<void> {
    await this.update(
      `UPDATE demo_fills f SET worker = NULL, phase = '', share = 1, has_charts = true, finished_at = $3
        WHERE f.org_id = $1 AND f.worker = $2 RETURNING 1`,
      [orgId, worker, now],
    );
  }

  /** `failure` null: it was interrupted, and somebody may go on. */
  async leave(orgId: string, worker: string, failure: string | null): Promise<void> {
    await this.update(
      `UPDATE demo_fills f SET worker = NULL, failure = $3 WHERE f.org_id = $1 AND f.worker = $2 RETURNING 1`,
      [orgId, worker, failure],
    );
  }

  private async update(sql: string, parameters: unknown[]): Promise<boolean> {
    return (await this.system.query(sql, parameters)).length > 0;
  }
}
