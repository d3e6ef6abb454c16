import { Injectable } from '@nestjs/common';
import { PriceLists } from '../pricing/price-lists.js';
import type { AnalyticsRange } from '../analytics-range.js';
import type { PinnedDays } from './fact-rows.sql.js';
import { QuestionsRepository } from './questions.repository.js';
import { RateTable } from './rate-table.js';

/** The prices that the model calls of a range need. */
@Injectable()
export class PriceTables {
  constructor(
    private readonly lists: PriceLists,
    private readonly facts: QuestionsRepository,
  ) {}

  async revision(orgId: string): Promise<string> {
    return (await this.lists.of(orgId)).revision;
  }

  /** Returns the days with the segments of the table. */
  async of(orgId: string, range: AnalyticsRange, days: PinnedDays): Promise<{ rates: RateTable; days: PinnedDays }> {
    const classes = days.days.length === 0 ? [] : await this.facts.listClasses(orgId, days);
    const rates = RateTable.of(await this.lists.of(orgId), classes, range);
    return { rates, days: { ...days, segments: rates.segments.slice(1) } };
  }
}
