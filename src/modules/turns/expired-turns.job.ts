import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { toDomainError } from '../../common/errors/database-errors.js';
import { UnavailableError } from '../../common/errors/domain-error.js';
import { AppConfig } from '../../config/app-config.js';
import { DatabaseService } from '../../database/database.service.js';
import { ExpiredTurnsService } from './expired-turns.service.js';

const MAX_INTERVAL_MS = 5_000;
const BATCH = 100;

/** On every replica and without the job ledger: leases are short, and the lock on a session lets one replica do the work. */
@Injectable()
export class ExpiredTurnsJob implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('LostTurns');
  private run: Promise<void> | null = null;
  /** Since when agents can renew their leases here; null while the database does not answer. */
  private reachableSinceMs: number | null = null;

  constructor(
    private readonly config: AppConfig,
    private readonly scheduler: SchedulerRegistry,
    private readonly database: DatabaseService,
    private readonly turns: ExpiredTurnsService,
  ) {}

  onModuleInit(): void {
    const intervalMs = Math.min(MAX_INTERVAL_MS, (this.config.turnLeaseSeconds * 1000) / 4);
    const timer = setInterval(() => {
      this.run ??= this.expireOverdue().finally(() => (this.run = null));
    }, intervalMs);
    timer.unref();
    this.scheduler.addInterval('expired-turns', timer);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.run;
  }

  /** After an outage of the database, agents have the time of one lease to renew theirs. */
  private isGracePeriodOver(): boolean {
    if (this.reachableSinceMs === null) return false;
    return performance.now() - this.reachableSinceMs >= this.config.turnLeaseSeconds * 1000;
  }

  private async expireOverdue(): Promise<void> {
    if (!this.database.isOpen) return;
    try {
      const count = await this.turns.expireOverdue(this.isGracePeriodOver() ? BATCH : 0);
      this.reachableSinceMs ??= performance.now();
      if (count > 0) this.logger.warn(`${count} turns were lost by their agents`);
    } catch (error) {
      if (toDomainError(error) instanceof UnavailableError) this.reachableSinceMs = null;
      this.logger.warn(`Lost turns could not be looked for: ${String(error)}`);
    }
  }
}
