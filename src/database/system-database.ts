import { Injectable } from '@nestjs/common';
import { SET_TIME_LIMITS } from './connection-settings.js';
import { DatabaseService } from './database.service.js';
import { poolOf } from './driver-internals.js';
import { runInOneRoundTrip } from './one-round-trip.js';
import { SqlTransaction } from './sql-transaction.js';

const BEGIN = `BEGIN; ${SET_TIME_LIMITS}`;
const SYSTEM = 'system';

/**
 * As the owner, without row-level security: for authentication, jobs and operator commands. Requests use `OrgDatabase`.
 */
@Injectable()
export class SystemDatabase {
  constructor(private readonly database: DatabaseService) {}

  async query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const { owner, ownerQueue } = this.database;
    const release = await ownerQueue.acquire(SYSTEM);
    return ownerQueue
      .watch(
        poolOf(owner)
          .connect()
          .then((client) =>
            runInOneRoundTrip<Row>(client, BEGIN, { text: sql, values: parameters }, { canPrepare: false }),
          ),
      )
      .finally(release);
  }

  async transaction<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    const { owner, ownerQueue } = this.database;
    const release = await ownerQueue.acquire(SYSTEM);
    return ownerQueue
      .watch(SqlTransaction.run(owner.createQueryRunner(), BEGIN, { canPrepare: false, onRelease: release }, work))
      .finally(release);
  }
}
