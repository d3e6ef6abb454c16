import { Injectable } from '@nestjs/common';
import { SET_TIME_LIMITS } from './connection-settings.js';
import { DatabaseService } from './database.service.js';
import { poolOf } from './driver-internals.js';
import { runInOneRoundTrip } from './one-round-trip.js';
import { SqlTransaction } from './sql-transaction.js';

const BEGIN = `BEGIN; ${SET_TIME_LIMITS}`;
/** Who stands in the line when nobody is calling: jobs and commands. */
const SYSTEM = 'system';

/**
 * The owner's side of the database: no wall. For what concerns no single organization: finding out who is calling,
 * scheduled jobs, operator commands. A request handler uses `OrgDatabase`; what takes long uses `BulkDatabase`.
 */
@Injectable()
export class SystemDatabase {
  constructor(private readonly database: DatabaseService) {}

  async query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const { owner, ownerLine } = this.database;
    const release = await ownerLine.acquire(SYSTEM);
    return ownerLine
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
    const { owner, ownerLine } = this.database;
    const release = await ownerLine.acquire(SYSTEM);
    return ownerLine
      .watch(SqlTransaction.run(owner.createQueryRunner(), BEGIN, { canPrepare: false, onRelease: release }, work))
      .finally(release);
  }
}
