import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../common/time/durations.js';
import type { Principal } from '../../common/access/principal.js';
import { Clock } from '../../common/time/clock.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { OrgDatabase } from '../../database/org-database.js';
import { AggregationService } from '../analytics/aggregation/aggregation.service.js';
import type { SentEvent } from '../ingest/event-source.js';
import { IngestService, type IngestResult } from '../ingest/ingest.service.js';
import { UsersService } from '../organization/users/users.service.js';
import { isWeekend } from './demo-calendar.js';
import type { DemoDays, Progress } from './demo-days.js';
import { DemoHistory, type Employee } from './demo-history.js';
import { PEOPLE, type Person } from './demo-people.js';

/** The limit of one ingest request. */
const BATCH_EVENTS = 5_000;
const FIRST_HOUR_MS = 7 * HOUR_MS;

@Injectable()
export class DemoUsageService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly users: UsersService,
    private readonly ingest: IngestService,
    private readonly aggregation: AggregationService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns everybody and the number added. The creation time of a user is the joining day, so that a later run finds
   * the same days.
   */
  async addPeople(orgId: string, days: DemoDays, progress: Progress): Promise<{ staff: Employee[]; added: number }> {
    const known = new Map<Person, Employee>();
    for (const person of PEOPLE) {
      const user = await this.users.findByEmail(orgId, person.email);
      if (user) known.set(person, { person, userId: user.id, joinedOn: UtcDay.of(user.createdAt) });
    }
    const missing = PEOPLE.filter((person) => !known.has(person));
    await this.db.transaction(orgId, async (tx) => {
      for (const [i, person] of missing.entries()) {
        const joinedOn = joiningDay(person, days);
        const createdAt = new Date(Math.min(joinedOn.startsAt().getTime() + FIRST_HOUR_MS, this.clock.now().getTime()));
        const { id } = await this.users.create(tx, orgId, null, person, createdAt);
        known.set(person, { person, userId: id, joinedOn });
        progress(i + 1, missing.length);
      }
    });
    return { staff: [...known.values()], added: missing.length };
  }

  /** Events that exist already are duplicates. */
  addEvents(caller: Principal, staff: Employee[], days: DemoDays, progress: Progress): Promise<IngestResult> {
    return this.ingest.ingest(caller, Readable.from(this.batchesOf(caller.orgId, staff, days, progress)));
  }

  async computeFigures(orgId: string, progress: Progress): Promise<void> {
    let total = 0;
    await this.aggregation.finishDue(orgId, (left) => {
      total = Math.max(total, left);
      if (total > 0) progress(total - left, total);
    });
  }

  private *batchesOf(
    orgId: string,
    staff: Employee[],
    { from, today }: DemoDays,
    progress: Progress,
  ): Generator<SentEvent[]> {
    const start = staff.map(({ joinedOn }) => joinedOn).reduce((a, b) => (a.isBefore(b) ? a : b), today);
    const history = new DemoHistory(orgId, start);
    const now = this.clock.now().toISOString();
    const batch: SentEvent[] = [];
    let index = 0;
    for (let day = from; !today.isBefore(day); day = day.next()) {
      for (const employee of staff) {
        for (const value of history.eventsOf(employee, day)) {
          if (value.at <= now) batch.push({ index: index++, value });
        }
      }
      while (batch.length >= BATCH_EVENTS) yield batch.splice(0, BATCH_EVENTS);
      progress(from.daysUntil(day) + 1, from.daysUntil(today) + 1);
    }
    if (batch.length > 0) yield batch;
  }
}

/** Not on a weekend. */
function joiningDay({ joinedAfter }: Person, { from, today }: DemoDays): UtcDay {
  let day = from.plus(Math.floor(joinedAfter * from.daysUntil(today)));
  while (isWeekend(day) && day.isBefore(today)) day = day.next();
  return day;
}
