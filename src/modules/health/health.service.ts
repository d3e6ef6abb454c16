import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { UnavailableError } from '../../common/errors/domain-error.js';
import { AppConfig } from '../../config/app-config.js';
import { DatabaseService } from '../../database/database.service.js';
import { silenceLimits } from '../../database/silence-limits.js';
import { IngestService } from '../ingest/ingest.service.js';

/** Whether this process should be given requests. */
@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private readonly maxWriteWaitMs: number;
  private isStopping = false;

  constructor(
    private readonly database: DatabaseService,
    private readonly ingest: IngestService,
    config: AppConfig,
  ) {
    this.maxWriteWaitMs = silenceLimits(config.database.silenceSeconds).waitingWriteMs;
  }

  /** The database is opened only after it was migrated: an answer means both. */
  async requireReady(): Promise<void> {
    if (this.isStopping) throw new UnavailableError('The service is shutting down.');
    const waitMs = this.ingest.oldestWriteWaitMs;
    if (waitMs > this.maxWriteWaitMs) {
      throw new UnavailableError(`Usage events have been waiting for the database for ${Math.round(waitMs / 1000)} s.`);
    }
    await this.database.ping();
  }

  beforeApplicationShutdown(): void {
    this.isStopping = true;
  }
}
