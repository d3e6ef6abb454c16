import { type EntitySubscriberInterface, EventSubscriber, type TransactionStartEvent } from 'typeorm';

/** Requests queue behind a migration that waits for a lock, so it must give up before they time out. */
const LOCK_LIMIT_MS = 2_000;

@EventSubscriber()
export class MigrationLockLimit implements EntitySubscriberInterface {
  async afterTransactionStart({ queryRunner }: TransactionStartEvent): Promise<void> {
    await queryRunner.query(`SET LOCAL lock_timeout = ${LOCK_LIMIT_MS}`);
  }
}
