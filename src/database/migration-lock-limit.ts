import { type EntitySubscriberInterface, EventSubscriber, type TransactionStartEvent } from 'typeorm';

/** While a migration waits for a lock, every request for the same table waits behind it: less than requests have patience. */
const LOCK_LIMIT_MS = 2_000;

/** Gives each migration a limit on waiting for locks; the migrator tries again. */
@EventSubscriber()
export class MigrationLockLimit implements EntitySubscriberInterface {
  async afterTransactionStart({ queryRunner }: TransactionStartEvent): Promise<void> {
    await queryRunner.query(`SET LOCAL lock_timeout = ${LOCK_LIMIT_MS}`);
  }
}
