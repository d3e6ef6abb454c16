import { Injectable, Logger } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { SystemDatabase } from '../../database/system-database.js';
import type { Topic, Topics } from '../../database/notification-topics.js';
import { Notifications } from '../../database/notifications.js';
import type { Signal } from './otlp/records.js';
import type { Outcome, Rejected } from './telemetry-stats.js';

const WATCH_MS = 15_000;
const RENEW_MS = 5_000;
/** Payloads of NOTIFY have less than 8,000 bytes. */
const MAX_LINE = 7_000;

/** Shows telemetry of all replicas at a terminal; costs nothing while nobody watches. */
@Injectable()
export class TelemetryTail {
  private readonly logger = new Logger('TelemetryTail');
  private watchedUntilMs = 0;
  private show: (line: string) => void = () => undefined;

  constructor(
    private readonly system: SystemDatabase,
    notifications: Notifications,
  ) {
    notifications.on('telemetry_watched', () => (this.watchedUntilMs = performance.now() + WATCH_MS));
    notifications.on('telemetry_seen', ({ line }) => this.show(line));
  }

  async watch(show: (line: string) => void, signal: AbortSignal): Promise<void> {
    this.show = show;
    while (!signal.aborted) {
      await this.notify('telemetry_watched', {});
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, RENEW_MS);
        signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
      });
    }
  }

  publish(caller: Principal, signal: Signal, outcomes: readonly Outcome[], rejected: Rejected): void {
    if (performance.now() > this.watchedUntilMs) return;
    const line = describe(caller, signal, outcomes, rejected).slice(0, MAX_LINE);
    this.notify('telemetry_seen', { line }).catch((error: unknown) =>
      this.logger.debug(`Nobody could be told: ${String(error)}`),
    );
  }

  private async notify<K extends Topic>(topic: K, payload: Topics[K]): Promise<void> {
    await this.system.query(`SELECT pg_notify($1, $2)`, [topic, JSON.stringify(payload)]);
  }
}

function describe(caller: Principal, signal: Signal, outcomes: readonly Outcome[], rejected: Rejected): string {
  const time = new Date().toISOString().slice(11, 23);
  const head = `${time} ${signal} of ${caller.email ?? caller.userId}`;
  const lines = outcomes.map(({ agent, name, records, isIgnored, facts }) => {
    const counted = Object.entries(facts).map(([type, count]) => `${count} ${type}`);
    const became = isIgnored ? 'ignored' : counted.length > 0 ? counted.join(', ') : 'nothing to count';
    return `  ${agent} ${name} x ${records}: ${became}`;
  });
  const refused = rejected.count > 0 ? [`  ${rejected.count} refused: ${rejected.reason}`] : [];
  return [head, ...(lines.length > 0 ? lines : ['  empty']), ...refused].join('\n');
}
