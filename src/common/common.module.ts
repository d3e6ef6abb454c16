import { Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { IdempotencyCleanupJob } from '../idempotency/idempotency-cleanup.job.js';
import { IdempotencyService } from '../idempotency/idempotency.js';
import { OpenStreams } from './http/open-streams.js';

/** What every module may use. */
@Global()
@Module({
  imports: [ScheduleModule.forRoot()],
  providers: [IdempotencyService, IdempotencyCleanupJob, OpenStreams],
  exports: [IdempotencyService, OpenStreams],
})
export class CommonModule {}
