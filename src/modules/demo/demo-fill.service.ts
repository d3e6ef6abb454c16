import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { newId } from '../../common/new-id.js';
import { Clock } from '../../common/time/clock.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { DatabaseService } from '../../database/database.service.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import type { OrganizationEntity } from '../organization/organizations/organization.entity.js';
import type { FoundedOrganization } from '../organization/organizations/organizations.service.js';
import type { Phase } from './demo-days.js';
import { DemoFillRun } from './demo-fill-run.js';
import { DemoFillsRepository } from './demo-fills.repository.js';
import { type Demo, type DemoResult, DemoService } from './demo.service.js';

/** A worker that tells nothing for so long is gone. */
const DEAD_AFTER_MS = 15_000;
const LOOK_MS = 5_000;
const FAR_FUTURE = new Date('9999-01-01T00:00:00Z');

/** Fills the demo in the background, on one replica; when that ends in the middle, another one goes on. */
@Injectable()
export class DemoFillService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('Demo');
  private current: { readonly run: DemoFillRun; readonly ended: Promise<void> } | null = null;
  private looking: Promise<void> | null = null;
  private isStopping = false;

  constructor(
    private readonly demo: DemoService,
    private readonly fills: DemoFillsRepository,
    private readonly clock: Clock,
    private readonly scheduler: SchedulerRegistry,
    private readonly database: DatabaseService,
  ) {}

  onModuleInit(): void {
    const timer = setInterval(() => {
      this.looking ??= this.resume().finally(() => (this.looking = null));
    }, LOOK_MS);
    timer.unref();
    this.scheduler.addInterval('demo-fill', timer);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.looking;
    await this.stop();
  }

  /** Adds the organization if there is none and begins to fill it; nothing when that is under way, or was done today. */
  async begin(onBegin: (tx: SqlTransaction, demo: OrganizationEntity) => void): Promise<void> {
    const worker = newId();
    const claim = { isOurs: false };
    const opened = await this.demo.open(async (tx, demo) => {
      const now = this.clock.now();
      const limits = { deadBefore: this.deadBefore(), oldBefore: UtcDay.of(now).startsAt() };
      claim.isOurs = await this.fills.claim(tx, { orgId: demo.id, worker, now }, limits);
      if (claim.isOurs) onBegin(tx, demo);
    });
    if (claim.isOurs) this.runInBackground(opened, worker);
  }

  /** For the command line: fills it here and now, whoever does so at the moment. */
  async fillHere(shown: Phase, onRecent: (demo: Demo) => void): Promise<DemoResult> {
    const worker = newId();
    const limits = { deadBefore: FAR_FUTURE, oldBefore: FAR_FUTURE };
    const opened = await this.demo.open(async (tx, { id: orgId }) => {
      await this.fills.claim(tx, { orgId, worker, now: this.clock.now() }, limits);
    });
    const run = new DemoFillRun(this.fills, this.clock, opened.organization.id, worker);
    const result = await run.run((phase) => this.fill(opened, run, phase, onRecent), shown);
    if (result === null) throw new Error('The demo was removed, or is filled by somebody else, meanwhile.');
    return result;
  }

  /** Of this replica. Others notice by themselves when the demo is removed. */
  async stop(): Promise<void> {
    this.current?.run.stop();
    await this.current?.ended;
  }

  private deadBefore(): Date {
    return new Date(this.clock.now().getTime() - DEAD_AFTER_MS);
  }

  private async resume(): Promise<void> {
    if (!this.database.isOpen || this.current || this.isStopping) return;
    try {
      const worker = newId();
      const orgId = await this.fills.claimAbandoned(worker, this.clock.now(), this.deadBefore());
      if (orgId === null) return;
      this.logger.log('The filling of the demo was interrupted; it goes on');
      this.runInBackground(await this.demo.open(), worker);
    } catch (error) {
      this.logger.warn(`Whether the demo has to be filled could not be looked up: ${String(error)}`);
    }
  }

  private runInBackground(opened: FoundedOrganization, worker: string): void {
    const run = new DemoFillRun(this.fills, this.clock, opened.organization.id, worker);
    // One that is still at it here has lost its claim.
    const ended = this.stop()
      .then(() => run.run((phase) => this.fill(opened, run, phase)))
      .then(() => undefined)
      .catch((error: unknown) => this.logger.error(`The demo could not be filled: ${String(error)}`));
    const current = { run, ended };
    this.current = current;
    void ended.then(() => {
      if (this.current === current) this.current = null;
    });
  }

  private fill(
    opened: FoundedOrganization,
    run: DemoFillRun,
    phase: Phase,
    onRecent: (demo: Demo) => void = () => undefined,
  ): Promise<DemoResult> {
    return this.demo.fill(opened, phase, (demo) => {
      run.noteCharts();
      onRecent(demo);
    });
  }
}
