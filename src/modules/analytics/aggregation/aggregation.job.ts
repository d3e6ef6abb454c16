import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { AppConfig } from '../../../config/app-config.js';
import { DatabaseService } from '../../../database/database.service.js';
import { JobLedger } from '../../../database/job-ledger.js';
import { AggregationService } from './aggregation.service.js';

/** A first late event is in the figures after this and the time of the computation. */
const PASS_INTERVAL_MS = 5_000;

/** Shortly after midnight for the day that ended, and every few seconds for late events, then for missing facts. */
@Injectable()
export class AggregationJob implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Aggregation');
  private timer: NodeJS.Timeout | null = null;
  private pass: Promise<void> | null = null;
  private nightly: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: AppConfig,
    private readonly scheduler: SchedulerRegistry,
    private readonly ledger: JobLedger,
    private readonly database: DatabaseService,
    private readonly aggregation: AggregationService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const nightly = CronJob.from({
      cronTime: this.config.analytics.aggregationCron,
      onTick: () => {
        this.nightly = this.runNightly();
      },
      timeZone: 'UTC',
    });
    this.scheduler.addCronJob('nightly-aggregation', nightly);
    nightly.start();
    this.timer = setInterval(() => {
      this.pass ??= this.runPass().finally(() => (this.pass = null));
    }, PASS_INTERVAL_MS);
    this.timer.unref();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await Promise.all([this.pass, this.nightly]);
  }

  private async runNightly(): Promise<void> {
    const today = UtcDay.of(this.clock.now());
    try {
      await this.ledger.runOnce('nightly-aggregation', today.startsAt(), async () => {
        const computed = await this.aggregation.runDue();
        this.logger.log(`Nightly aggregation: ${computed} organization days computed`);
      });
    } catch (error) {
      this.logger.warn(`The nightly run failed; the next pass does its work: ${String(error)}`);
    }
  }

  private async runPass(): Promise<void> {
    if (!this.database.isOpen) return;
    const steps = [
      () => this.aggregation.runDue(),
      () => this.aggregation.tidy(),
      () => this.aggregation.addMissingFacts(PASS_INTERVAL_MS),
    ];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        this.logger.warn(`A pass failed and will be repeated: ${String(error)}`);
      }
    }
  }
}
