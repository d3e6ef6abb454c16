import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { UnavailableError } from '../../common/errors/domain-error.js';
import { SystemDatabase } from '../../database/system-database.js';

/** Whether this process should be given requests. */
@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private isStopping = false;

  constructor(private readonly system: SystemDatabase) {}

  /** The database is opened only after it was migrated, so that an answer from it means both. */
  async requireReady(): Promise<void> {
    if (this.isStopping) throw new UnavailableError('The service is shutting down.');
    await this.system.query('SELECT 1');
  }

  beforeApplicationShutdown(): void {
    this.isStopping = true;
  }
}
