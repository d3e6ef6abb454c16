import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { AppConfig } from '../../config/app-config.js';
import { DatabaseService } from '../../database/database.service.js';
import { TurnsService } from '../messages/turns.service.js';

const MAX_INTERVAL_MS = 5_000;

/** Looks for turns whose agent has not been heard of for the time of a lease. On every replica: whoever comes first. */
@Injectable()
export class LostTurnsJob implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('LostTurns');
  private run: Promise<void> | null = null;

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

  private async loseExpired(): Promise<void> {
    if (!this.database.isOpen) return;
    try {
      const lost = await this.turns.loseExpired();
      if (lost > 0) this.logger.warn(`${lost} turns were lost by their agents`);
    } catch (error) {
      this.logger.warn(`Lost turns could not be looked for: ${String(error)}`);
    }
  }
}
