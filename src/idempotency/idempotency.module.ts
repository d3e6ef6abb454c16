import { Global, Module } from '@nestjs/common';
import { IdempotencyCleanupJob } from './idempotency-cleanup.job.js';
import { IdempotencyService } from './idempotency.js';

@Global()
@Module({ providers: [IdempotencyService, IdempotencyCleanupJob], exports: [IdempotencyService] })
export class IdempotencyModule {}
