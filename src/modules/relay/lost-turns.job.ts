import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { toDomainError } from '../../common/errors/database-errors.js';
import { UnavailableError } from '../../common/errors/domain-error.js';
import { AppConfig } from '../../config/app-config.js';
import { DatabaseService } from '../../database/database.service.js';
import { TurnsService } from '../turns/turns.service.js';

const MAX_INTERVAL_MS = 5_000;
const BATCH = 100;

/** Looks for turns whose agent has not been heard of for the time of a lease. On every replica: whoever comes first. */
@Injectable()
export class LostTurnsJob implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('LostTurns');
  private run: Promise<void> | null = null;
  /** Since when agents can have renewed their leases here; null while the database is away. */
  private reachableSinceMs: number | null = null;

  constructor(
    private readonly config: AppConfig,
    private readonly scheduler: SchedulerRegistry,
    private readonly database: DatabaseService,
    private readonly turns: TurnsService,
  ) {}

  onModuleInit(): void {
    const intervalMs = Math.min(MAX_INTERVAL_MS, (this.config.turnLeaseSeconds * 1000) / 4);
    const timer = setInterval(() => {
      this.run ??= this.loseExpired().finally(() => (this.run = null));
    }, intervalMs);
    timer.unref();
    this.scheduler.addInterval('lost-turns', timer);
  }

  /** What is running ends before the database is closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.run;
  }

  /** After a time in which nobody could renew a lease, every agent has as long as one lasts to come back. */
  private hasGivenTime(): boolean {
    if (this.reachableSinceMs === null) return false;
    return performance.now() - this.reachableSinceMs >= this.config.turnLeaseSeconds * 1000;
  }

  private async loseExpired(): Promise<void> {
    if (!this.database.isOpen) return;
    try {
      const lost = await this.turns.loseExpired(this.hasGivenTime() ? BATCH : 0);
      this.reachableSinceMs ??= performance.now();
      if (lost > 0) this.logger.warn(`${lost} turns were lost by their agents`);
    } catch (error) {
      if (toDomainError(error) instanceof UnavailableError) this.reachableSinceMs = null;
      this.logger.warn(`Lost turns could not be looked for: ${String(error)}`);
    }
  }
}
