import { Injectable } from '@nestjs/common';
import type { UtcDay } from '../../../../common/time/utc-day.js';
import type { PriceList } from '../../../../prices/price-list.js';
import { PriceLists } from '../../pricing/price-lists.js';
import { FACT_FORMAT } from './figures.js';

/** How the facts of one day are made: the price lists of some organizations on that day. */
export class DayRules {
  constructor(
    readonly day: UtcDay,
    private readonly lists: ReadonlyMap<string, PriceList>,
  ) {}

  on(day: UtcDay): DayRules {
    return new DayRules(day, this.lists);
  }

  /** The text in `analytics_days.fact_rules`. It names the version, as a replica of an older release replaces only that. */
  textOf(orgId: string, version: string): string {
    return `${version} ${FACT_FORMAT} ${this.listOf(orgId).classRulesOf(this.day)}`;
  }

  listOf(orgId: string): PriceList {
    const list = this.lists.get(orgId);
    if (!list) throw new Error(`No price list was read for ${orgId}`);
    return list;
  }
}

@Injectable()
export class FactRules {
  constructor(private readonly prices: PriceLists) {}

  async of(orgIds: readonly string[], day: UtcDay): Promise<DayRules> {
    const lists = await Promise.all(orgIds.map(async (orgId) => [orgId, await this.prices.of(orgId)] as const));
    return new DayRules(day, new Map(lists));
  }
}
