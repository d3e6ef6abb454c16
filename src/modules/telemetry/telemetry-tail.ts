import { Injectable, Logger } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { SystemDatabase } from '../../database/system-database.js';
import type { Topic, Topics } from '../../database/notification-topics.js';
import { Notifications } from '../../database/notifications.js';
import type { Signal } from './otlp/records.js';
import { describeRequest, FoldedLines } from './telemetry-lines.js';
import type { Outcome, Rejected } from './telemetry-stats.js';

const WATCH_MS = 15_000;
const RENEW_MS = 5_000;
/** Repeated requests are shown as a number this often, and when another one arrives. */
const FOLD_MS = 30_000;

/** Shows telemetry of all replicas at a terminal; costs nothing while nobody watches. */
@Injectable()
export class TelemetryTail {
  private readonly logger = new Logger('TelemetryTail');
  private watchedUntilMs = 0;
  /** One after the other, so that requests are shown in their order. */
  private sent: Promise<void> = Promise.resolve();
  private onSeen: (seen: Topics['telemetry_seen']) => void = () => undefined;

  constructor(
    private readonly system: SystemDatabase,
    notifications: Notifications,
  ) {
    notifications.on('telemetry_watched', () => (this.watchedUntilMs = performance.now() + WATCH_MS));
    notifications.on('telemetry_seen', (seen) => this.onSeen(seen));
  }

  async watch(show: (line: string) => void, signal: AbortSignal): Promise<void> {
    const folded = new FoldedLines();
    let flushedAtMs = performance.now();
    this.onSeen = (seen) => folded.add(seen).forEach(show);
    while (!signal.aborted) {
      await this.notify('telemetry_watched', {});
      if (performance.now() - flushedAtMs > FOLD_MS) {
        folded.flush().forEach(show);
        flushedAtMs = performance.now();
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, RENEW_MS);
        signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
      });
    }
    folded.flush().forEach(show);
  }

  publish(caller: Principal, signal: Signal, outcomes: readonly Outcome[], rejected: Rejected): void {
    if (performance.now() > this.watchedUntilMs) return;
    const request = { time: new Date(), sender: caller.email ?? caller.userId, signal };
    const seen = describeRequest(request, outcomes, rejected);
    this.sent = this.sent
      .then(() => this.notify('telemetry_seen', seen))
      .catch((error: unknown) => this.logger.debug(`Nobody could be told: ${String(error)}`));
  }

  private async notify<K extends Topic>(topic: K, payload: Topics[K]): Promise<void> {
    await this.system.query(`SELECT pg_notify($1, $2)`, [topic, JSON.stringify(payload)]);
  }
}
