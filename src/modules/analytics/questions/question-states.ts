import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AnalyticsRange } from '../analytics-range.js';
import { RangeStates } from '../range-states.js';
import { FactDaysRepository } from './fact-days.repository.js';
import { PriceTables } from './price-tables.js';

/** Of all figures, prices and teams that an answer is made of. */
export interface QuestionState {
  /** Changes whenever the answer may. */
  readonly identity: readonly string[];
  readonly prices: string;
  readonly teams: string;
  readonly dataAsOf: Date | null;
}

@Injectable()
export class QuestionStates {
  constructor(
    private readonly ranges: RangeStates,
    private readonly days: FactDaysRepository,
    private readonly priceTables: PriceTables,
  ) {}

  /** Computes missing days first. */
  async find(
    orgId: string,
    range: AnalyticsRange,
    compared: AnalyticsRange | null,
    { hasPrices, hasTeams }: { hasPrices: boolean; hasTeams: boolean },
  ): Promise<QuestionState> {
    const current = await this.ranges.find(orgId, range, { hasActives: false });
    const previous = compared ? await this.ranges.find(orgId, compared, { hasActives: false }) : null;
    const prices = hasPrices ? await this.priceTables.revision(orgId) : '';
    const teams = hasTeams ? await this.days.findTeamRevision(orgId) : '';
    const ranges = [range, ...(compared ? [compared] : [])].flatMap(({ start, end }) => [`${start}`, `${end}`]);
    return {
      identity: [...ranges, current.versions, previous?.versions ?? '', prices, teams],
      prices,
      teams,
      dataAsOf: current.computedAt,
    };
  }
}

export function metaOf(orgId: string, { start, end }: AnalyticsRange, { identity, dataAsOf }: QuestionState) {
  return {
    org_id: orgId,
    start_date: start.toString(),
    end_date: end.toString(),
    data_as_of: dataAsOf?.toISOString() ?? null,
    revision: createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 16),
  };
}

export function comparedMetaOf(compared: AnalyticsRange | null) {
  return {
    compare_start_date: compared?.start.toString() ?? null,
    compare_end_date: compared?.end.toString() ?? null,
  };
}
