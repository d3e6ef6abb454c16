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
import { TeamAssignmentsService } from '../organization/teams/team-assignments.service.js';
import { UsersService } from '../organization/users/users.service.js';
import { isWeekend } from './demo-calendar.js';
import { type DemoDays, lengthOf, type Progress, type Stretch, stretchesOf } from './demo-days.js';
import { DemoHistory, type Employee } from './demo-history.js';
import { PEOPLE, type Person } from './demo-people.js';
import { teamsOf } from './demo-teams.js';

/** The limit of one ingest request. */
const BATCH_EVENTS = 5_000;
const FIRST_HOUR_MS = 7 * HOUR_MS;

@Injectable()
export class DemoUsageService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly users: UsersService,
    private readonly teams: TeamAssignmentsService,
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
    const staff = [...known.values()];
    await this.addToTeams(orgId, staff, days.today);
    return { staff, added: missing.length };
  }

  /** Events and figures, the newest stretch of days first. Events that exist already are duplicates. */
  async addUsage(caller: Principal, staff: Employee[], days: Stretch, progress: Progress): Promise<IngestResult> {
    const result: IngestResult = { accepted: 0, duplicates: 0, rejectedCount: 0, rejected: [] };
    const total = 2 * lengthOf(days);
    let done = 0;
    for (const stretch of stretchesOf(days)) {
      const report = (part: number) => progress(done + part, total);
      const events = Readable.from(this.batchesOf(caller.orgId, staff, stretch, report));
      addResults(result, await this.ingest.ingest(caller, events));
      const length = lengthOf(stretch);
      await this.aggregation.finishDue(caller.orgId, (left) => report(2 * length - Math.min(left, length)));
      done += 2 * length;
    }
    progress(total, total);
    return result;
  }

  /** Also those whom a release without teams has added. */
  private async addToTeams(orgId: string, staff: Employee[], today: UtcDay): Promise<void> {
    const ids = staff.map(({ userId }) => userId);
    const placed = await this.teams.peopleWithTeam(orgId, ids);
    const others = staff.filter(({ userId }) => !placed.has(userId));
    const assignments = others.flatMap((employee) => teamsOf(employee, today));
    if (assignments.length > 0) await this.teams.assign(orgId, null, assignments, { source: 'demo' });
  }

  private *batchesOf(
    orgId: string,
    staff: Employee[],
    { from, to }: Stretch,
    onDays: (days: number) => void,
  ): Generator<SentEvent[]> {
    const start = staff.map(({ joinedOn }) => joinedOn).reduce((a, b) => (a.isBefore(b) ? a : b));
    const history = new DemoHistory(orgId, start);
    const now = this.clock.now().toISOString();
    const batch: SentEvent[] = [];
    let index = 0;
    for (let day = to; !day.isBefore(from); day = day.plus(-1)) {
      for (const employee of staff) {
        for (const value of history.eventsOf(employee, day)) {
          if (value.at <= now) batch.push({ index: index++, value });
        }
      }
      while (batch.length >= BATCH_EVENTS) yield batch.splice(0, BATCH_EVENTS);
      onDays(day.daysUntil(to) + 1);
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

export function addResults(sum: IngestResult, { accepted, duplicates, rejectedCount, rejected }: IngestResult): void {
  sum.accepted += accepted;
  sum.duplicates += duplicates;
  sum.rejectedCount += rejectedCount;
  sum.rejected.push(...rejected);
}
