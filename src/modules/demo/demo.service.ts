import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { InvalidRequestError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { AggregationService } from '../analytics/aggregation/aggregation.service.js';
import { EventPartitions } from '../ingest/event-partitions.js';
import type { IngestResult } from '../ingest/ingest.service.js';
import type { OrganizationEntity } from '../organization/organizations/organization.entity.js';
import { OrganizationRemovalService } from '../organization/organizations/organization-removal.service.js';
import { type FoundedOrganization, OrganizationsService } from '../organization/organizations/organizations.service.js';
import { type DemoDays, type Phase, recentAndOlder } from './demo-days.js';
import { DemoRecordsService } from './demo-records.service.js';
import { addResults, DemoUsageService } from './demo-usage.service.js';

const YEAR_DAYS = 365;
const DEMO = { name: 'Demo', ownerEmail: 'owner@demo.example' };

/** The organization of the demo, once its newest weeks are there. */
export interface Demo extends DemoDays {
  readonly orgId: string;
  readonly name: string;
  readonly owner: Principal;
}

export interface DemoResult extends Demo {
  readonly people: number;
  readonly sessions: number;
  readonly reports: number;
  readonly events: IngestResult;
}

/**
 * Fills an organization of its own with an invented year, the newest weeks first. A second run adds only what is missing,
 * such as the latest days.
 */
@Injectable()
export class DemoService {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly removal: OrganizationRemovalService,
    private readonly aggregation: AggregationService,
    private readonly partitions: EventPartitions,
    private readonly records: DemoRecordsService,
    private readonly usage: DemoUsageService,
    private readonly clock: Clock,
  ) {}

  /** The organization, which is added if there is none. `within`: what belongs to the same transaction. */
  open(within?: Parameters<OrganizationsService['openDemo']>[1]): Promise<FoundedOrganization> {
    this.daysToFill();
    return this.organizations.openDemo(DEMO, within);
  }

  find(): Promise<OrganizationEntity | null> {
    return this.organizations.findDemo();
  }

  /** `onRecent` is called when there is enough for first charts. */
  async fill(opened: FoundedOrganization, phase: Phase, onRecent: (demo: Demo) => void): Promise<DemoResult> {
    const days = this.daysToFill();
    const { recent, older } = recentAndOlder(days);
    const owner = principalOf(opened);
    const { id: orgId, name } = opened.organization;
    const demo: Demo = { ...days, orgId, name, owner };
    const { staff, added } = await phase('People', (progress) => this.usage.addPeople(orgId, days, progress));
    await this.records.addPrices(owner, days);
    // Sessions record usage of the newest weeks: before their figures.
    const sessions = await phase('Sessions', (progress) => this.records.addSessions(owner, days, progress));
    const reports = await phase('Reports', (progress) => this.records.addReports(owner, days, progress));
    const events = await phase('Newest weeks', (progress) => this.usage.addUsage(owner, staff, recent, progress));
    onRecent(demo);
    if (older) {
      const earlier = await phase('Older weeks', (progress) => this.usage.addUsage(owner, staff, older, progress));
      addResults(events, earlier);
    }
    return { ...demo, people: added, sessions, reports, events };
  }

  /** Returns the name of what was removed. */
  async remove(): Promise<string | null> {
    const organization = await this.organizations.findDemo();
    if (!organization) return null;
    await this.aggregation.whileNothingIsComputed(organization.id, () => this.removal.remove(organization.id));
    return organization.name;
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
}

function principalOf({ organization, owner }: FoundedOrganization): Principal {
  const { id: userId, email, role } = owner;
  const credential = { kind: 'internal', id: 'demo' } as const;
  return { orgId: organization.id, userId, email, role, credential, expiresAt: null };
}
