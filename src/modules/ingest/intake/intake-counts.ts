import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { WriteBehind } from '../../../database/write-behind.js';
import { CLIENT_CODE } from '../event-codes.js';
import { dayOf, type EventRow } from '../usage-event.js';
import type { IntakeAgent } from './intake-agents.js';
import { type IntakeDay, IntakeDaysRepository } from './intake-days.repository.js';

const MAX_WAITING = 50_000;
const COUNTS = ['terminalUi', 'web', 'headless', 'duplicates', 'rejected', 'ignored'] as const;
type Counts = Partial<Record<(typeof COUNTS)[number], number>>;

const COUNT_OF_CLIENT = new Map<number, keyof Counts>([
  [CLIENT_CODE['terminal-ui'], 'terminalUi'],
  [CLIENT_CODE.web, 'web'],
  [CLIENT_CODE['non-interactive-cli'], 'headless'],
]);

/** Counts what arrives by day and agent. Events count on their own day; what has no valid day, on the day it arrives. */
@Injectable()
export class IntakeCounts implements OnApplicationShutdown {
  private readonly counts: WriteBehind<IntakeDay>;

  constructor(
    days: IntakeDaysRepository,
    private readonly clock: Clock,
  ) {
    this.counts = new WriteBehind<IntakeDay>({
      logger: new Logger('Intake'),
      merge: (waiting, row) => COUNTS.forEach((name) => (waiting[name] += row[name])),
      write: (orgId, rows) => days.add(orgId, rows, clock.now()),
      maxRows: MAX_WAITING,
    });
  }

  addEvents(orgId: string, agent: IntakeAgent, arrived: readonly EventRow[], added: readonly EventRow[]): void {
    const byDay = new Map<string, Required<Counts>>();
    let [day, ofDay] = ['none', zeroCounts()];
    const of = (row: EventRow) => {
      if (row.at.startsWith(day)) return ofDay; // as nearly always
      day = dayOf(row);
      ofDay = byDay.get(day) ?? zeroCounts();
      byDay.set(day, ofDay);
      return ofDay;
    };
    for (const row of added) of(row)[COUNT_OF_CLIENT.get(row.client) ?? 'headless']++;
    if (added.length < arrived.length) {
      for (const row of arrived) of(row).duplicates++;
      for (const row of added) of(row).duplicates--;
    }
    for (const [date, counts] of byDay) this.add(orgId, date, agent, counts);
  }

  addRejected(orgId: string, agent: IntakeAgent, rejected: number): void {
    if (rejected > 0) this.add(orgId, this.today(), agent, { rejected });
  }

  addIgnored(orgId: string, agent: IntakeAgent, ignored: number): void {
    if (ignored > 0) this.add(orgId, this.today(), agent, { ignored });
  }

  flush(): Promise<void> {
    return this.counts.flush();
  }

  onApplicationShutdown(): Promise<void> {
    return this.counts.stop();
  }

  private add(orgId: string, day: string, agent: IntakeAgent, counts: Counts): void {
    this.counts.add(orgId, `${day} ${agent}`, { day, agent, ...zeroCounts(), ...counts });
  }

  private today(): string {
    return UtcDay.of(this.clock.now()).toString();
  }
}

function zeroCounts(): Required<Counts> {
  return { terminalUi: 0, web: 0, headless: 0, duplicates: 0, rejected: 0, ignored: 0 };
}
