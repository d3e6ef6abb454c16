import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { InvalidRequestError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { EventPartitions } from '../ingest/event-partitions.js';
import type { IngestResult } from '../ingest/ingest.service.js';
import { UsersService } from '../organization/users/users.service.js';
import type { DemoDays, Phase } from './demo-days.js';
import { DemoRecordsService } from './demo-records.service.js';
import { DemoUsageService } from './demo-usage.service.js';

const YEAR_DAYS = 365;

export interface DemoResult extends DemoDays {
  readonly owner: Principal;
  readonly people: number;
  readonly sessions: number;
  readonly reports: number;
  readonly events: IngestResult;
}

/** Fills an organization with an invented year. A second run adds only what is missing, such as the latest days. */
@Injectable()
export class DemoService {
  constructor(
    private readonly users: UsersService,
    private readonly partitions: EventPartitions,
    private readonly records: DemoRecordsService,
    private readonly usage: DemoUsageService,
    private readonly clock: Clock,
  ) {}

  async fill(orgId: string, phase: Phase): Promise<DemoResult> {
    const days = this.daysToFill();
    const owner = await this.actAsOwner(orgId);
    // What a policy may forbid comes before what takes long.
    const { staff, added } = await phase('People', (progress) => this.usage.addPeople(orgId, days, progress));
    const sessions = await phase('Sessions', (progress) => this.records.addSessions(owner, days, progress));
    const reports = await phase('Reports', (progress) => this.records.addReports(owner, days, progress));
    const events = await phase('Events', (progress) => this.usage.addEvents(owner, staff, days, progress));
    await phase('Figures', (progress) => this.usage.computeFigures(orgId, progress));
    return { ...days, owner, people: added, sessions, reports, events };
  }

  private daysToFill(): DemoDays {
    const today = UtcDay.of(this.clock.now());
    const yearAgo = today.plus(1 - YEAR_DAYS);
    const firstOpenDay = this.partitions.firstOpenDay();
    if (today.isBefore(firstOpenDay)) {
      throw new InvalidRequestError(`Events are taken from ${firstOpenDay} on (ANALYTICS_FIRST_DAY): that is not yet.`);
    }
    return { from: firstOpenDay.isBefore(yearAgo) ? yearAgo : firstOpenDay, today };
  }

  private async actAsOwner(orgId: string): Promise<Principal> {
    const { id: userId, email, role } = await this.users.getFirstOwner(orgId);
    return { orgId, userId, email, role, credential: { kind: 'internal', id: 'demo' }, expiresAt: null };
  }
}
