import { Injectable } from '@nestjs/common';
import { groupedBy } from '../../../common/grouped-by.js';
import { PacedReads } from '../../../common/paced-reads.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { AggregationService } from '../aggregation/aggregation.service.js';
import type { PersonFacts } from './person-facts.js';
import { activityOf, classSumsOf, type FoldedDay, foldDay } from './running-day-facts.js';

/** Beyond the longest pause a reader would see events later than a minute after their acknowledgement. */
const PACE = { share: 0.1, minPauseMs: 1_000, maxPauseMs: 55_000, maxKeys: 500 };

export interface RunningDayFacts extends FoldedDay {
  readonly day: UtcDay;
  readonly asOf: Date;
}

/** Today, as far as its events are acknowledged; by the code of a closed day, but nothing is stored. */
@Injectable()
export class RunningDay {
  private readonly facts = new PacedReads<RunningDayFacts>(PACE);
  private readonly tools = new PacedReads<Map<string, PersonFacts['tools']>>(PACE);

  constructor(
    private readonly aggregation: AggregationService,
    private readonly clock: Clock,
  ) {}

  of(orgId: string): Promise<RunningDayFacts> {
    const day = UtcDay.of(this.clock.now());
    return this.facts.read(`${orgId} ${day}`, async () => {
      const asOf = this.clock.now();
      return { ...foldDay(await this.aggregation.readToday(orgId)), day, asOf };
    });
  }

  async ofUser(orgId: string, userId: string): Promise<PersonFacts & { readonly asOf: Date }> {
    const { day, asOf, users, calls } = await this.of(orgId);
    const date = day.toString();
    const activity = users.get(userId);
    return {
      asOf,
      calls: (calls.get(userId) ?? []).map((sums) => ({ ...classSumsOf(sums), day: date })),
      activity: activity ? [{ day: date, ...activityOf(activity) }] : [],
      tools: (await this.toolsOf(orgId, date)).get(userId) ?? [],
    };
  }

  private toolsOf(orgId: string, day: string): Promise<Map<string, PersonFacts['tools']>> {
    return this.tools.read(`${orgId} ${day}`, async () => {
      const tools = groupedBy(await this.aggregation.listToolsOfToday(orgId), ({ userId }) => userId);
      return new Map(
        [...tools].map(([userId, own]) => [userId, own.map(({ tool, count }) => ({ tool, count: BigInt(count) }))]),
      );
    });
  }
}
