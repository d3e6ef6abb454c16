import { Logger } from '@nestjs/common';
import type { Clock } from '../../common/time/clock.js';
import type { Phase } from './demo-days.js';
import type { DemoFillsRepository } from './demo-fills.repository.js';

/** About how long each phase takes of the whole. */
const SHARES: readonly [string, number][] = [
  ['People', 0.03],
  ['Sessions', 0.04],
  ['Reports', 0.05],
  ['Newest weeks', 0.13],
  ['Older weeks', 0.75],
];
const RENEW_MS = 500;

class FillStoppedError extends Error {}

/** One attempt at filling the demo: keeps the claim on it alive, tells how far it is, and ends when it loses the claim. */
export class DemoFillRun {
  private readonly logger = new Logger('Demo');
  private progress = { phase: '', share: 0, hasCharts: false };
  private isStopped = false;

  constructor(
    private readonly fills: DemoFillsRepository,
    private readonly clock: Clock,
    private readonly orgId: string,
    private readonly worker: string,
  ) {}

  /** Its work goes on for a moment, until it next tells of progress. */
  stop(): void {
    this.isStopped = true;
  }

  noteCharts(): void {
    this.progress = { ...this.progress, hasCharts: true };
  }

  /** Rejects with what went wrong; not when it was stopped, which gives null. */
  async run<T>(
    work: (phase: Phase) => Promise<T>,
    shown: Phase = (_title, inner) => inner(() => undefined),
  ): Promise<T | null> {
    const timer = setInterval(() => void this.renew(), RENEW_MS);
    try {
      const result = await work(this.tracked(shown));
      await this.fills.finish(this.orgId, this.worker, this.clock.now());
      return result;
    } catch (error) {
      const failure = this.isStopped ? null : error instanceof Error ? error.message : String(error);
      await this.fills.leave(this.orgId, this.worker, failure);
      if (this.isStopped) return null;
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  private tracked(shown: Phase): Phase {
    return (title, work) =>
      shown(title, (progress) =>
        work((done, total) => {
          if (this.isStopped) throw new FillStoppedError('The filling of the demo was stopped.');
          this.progress = { ...this.progress, phase: title, share: shareOf(title, done / Math.max(total, 1)) };
          progress(done, total);
        }),
      );
  }

  private async renew(): Promise<void> {
    try {
      const isOurs = await this.fills.renew(this.orgId, this.worker, this.clock.now(), this.progress);
      if (!isOurs) this.stop();
    } catch (error) {
      this.logger.warn(`The progress of the demo could not be stored: ${String(error)}`);
    }
  }
}

function shareOf(title: string, done: number): number {
  let share = 0;
  for (const [phase, part] of SHARES) {
    if (phase === title) return share + part * done;
    share += part;
  }
  return share;
}
