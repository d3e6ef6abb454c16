import { ApiProperty, IntersectionType, PartialType } from '@nestjs/swagger';
import type { ExactInteger } from '../../../common/exact-json.js';
import { Matches, OneOf, Optional, PageLimit, TextLength, Uuid } from '../../../common/validation/rules.js';
import { isUuid } from '../../../common/validation/predicates.js';
import { CLIENT_CODE } from '../../ingest/event-codes.js';
import { RangeQuery } from '../analytics.dto.js';
import { COMPARISONS } from './comparison.js';
import { ModelFiguresDto, PersonFiguresDto, SummaryChangeDto, SummaryFiguresDto } from './figures.dto.js';
import { DIMENSION_NAMES, METRICS, NO_TEAM, UNKNOWN } from './metrics.js';
import { COST_REASONS } from './money.js';

const isTeam = (value: unknown) => value === NO_TEAM || (typeof value === 'string' && isUuid(value));

export class SummaryQuery extends RangeQuery {
  /**
   * With what to compare: `previous` are as many days, shifted back by whole weeks; `year` the days 364 days before; `none`
   * when left out.
   * @example 'previous'
   */
  @Optional()
  @OneOf(COMPARISONS)
  compare?: string;
}

export class BreakdownQuery extends SummaryQuery {
  /**
   * For what there is a row each.
   * @example 'model'
   */
  @OneOf(DIMENSION_NAMES)
  dimension: string;

  /**
   * What is counted. Which metrics a dimension has is in its 400 and in the documentation.
   * @example 'billable_tokens'
   */
  @OneOf(METRICS)
  metric: string;

  /**
   * Named rows on a page, 1 to 100; 20 when left out. Everything else is `other`.
   * @example '20'
   */
  @Optional()
  @PageLimit(100)
  limit?: string;

  /**
   * The `next_cursor` of the page before, with the same parameters by the same caller.
   * @example 'WyI0MiIsIiIsIiIsIjEyMDAiLCJjbGF1ZGUiXQ.0123456789abcdef'
   */
  @Optional()
  @TextLength(1, 2000)
  cursor?: string;

  /**
   * Only rows whose key or label contains this, in any letter case; `total` stays that of all rows.
   * @example 'claude'
   */
  @Optional()
  @TextLength(1, 200)
  search?: string;

  /**
   * Only of this user.
   * @example '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'
   */
  @Optional()
  @Uuid()
  user_id?: string;

  /**
   * Only of people on the days on which they were in this team; `(none)`: in no team.
   * @example '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'
   */
  @Optional()
  @Matches(isTeam, { message: `must be the id of a team, or ${NO_TEAM}`, schema: { maxLength: 36 } })
  team_id?: string;

  /**
   * Only model calls of this client; `(unknown)`: days of which that was not kept.
   * @example 'terminal-ui'
   */
  @Optional()
  @OneOf([...Object.keys(CLIENT_CODE), UNKNOWN])
  client?: string;

  /**
   * Only calls of this model.
   * @example 'claude-sonnet-4-5'
   */
  @Optional()
  @TextLength(1, 200)
  model?: string;
}

/** To what the figures belong. */
export class QuestionMeta {
  /**
   * The organization.
   * @example '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d40'
   */
  org_id: string;

  /**
   * The first day.
   * @example '2026-10-01'
   */
  start_date: string;

  /**
   * The last day.
   * @example '2026-10-28'
   */
  end_date: string;

  /**
   * When the newest of these days was computed, ISO 8601; null when none was.
   * @example '2026-10-29T00:05:12.000Z'
   */
  @ApiProperty({ type: 'string', nullable: true })
  data_as_of: string | null;

  /**
   * Another one whenever figures, prices or teams of the answer have changed.
   * @example 'q83vEjRWeJASNFZ4'
   */
  revision: string;
}

export class ComparedMeta extends QuestionMeta {
  /**
   * The first day of the comparison; null without one.
   * @example '2026-09-03'
   */
  @ApiProperty({ type: 'string', nullable: true })
  compare_start_date: string | null;

  /**
   * The last day of the comparison; null without one.
   * @example '2026-09-30'
   */
  @ApiProperty({ type: 'string', nullable: true })
  compare_end_date: string | null;
}

/** How costs are to be read. */
export class CostMetaDto {
  /**
   * Of every amount.
   * @example 'USD'
   */
  currency: string;

  /**
   * Always true: what a provider bills is not known here.
   * @example true
   */
  estimated: boolean;

  /**
   * Why it is an estimate: from list prices; the time to live of cache writes, or the size of calls, was not told; or a day
   * from before there were prices has no raw events any more, and no cost.
   * @example ['list_price']
   */
  @ApiProperty({ enum: COST_REASONS, isArray: true })
  reasons: readonly string[];

  /**
   * Tokens for which no price is known. They are not part of the cost.
   * @example 120000
   */
  @ApiProperty({ type: 'number' })
  unpriced_tokens: ExactInteger;

  /**
   * Their models.
   * @example ['in-house-model']
   */
  @ApiProperty({ type: 'string', isArray: true })
  unpriced_models: readonly string[];
}

/** To what a summary belongs. */
export class SummaryMeta extends IntersectionType(ComparedMeta, CostMetaDto) {}

/** To what the figures of a person belong. */
export class PersonMeta extends IntersectionType(QuestionMeta, CostMetaDto) {}

/** The figures of both ranges. */
export class SummaryData {
  /** Of the range. */
  current: SummaryFiguresDto;

  /** Of the range that it is compared with; null without one. */
  @ApiProperty({ type: () => SummaryFiguresDto, nullable: true })
  previous: SummaryFiguresDto | null;

  /** From the previous figures to the current ones, as a ratio: 0.25 is a quarter more. Null without a comparison. */
  @ApiProperty({ type: () => SummaryChangeDto, nullable: true })
  change: SummaryChangeDto | null;
}

/** A value of a day. */
export class DayValue {
  /**
   * The day.
   * @example '2026-10-01'
   */
  date: string;

  /**
   * A number; of `cost` an amount as text, or null.
   * @example 1200
   */
  @ApiProperty({ oneOf: [{ type: 'number' }, { type: 'string' }], nullable: true })
  value: ExactInteger | string | null;
}

export class BreakdownFigures {
  /**
   * What people call it.
   * @example 'claude-sonnet-4-5'
   */
  label: string;

  /**
   * The metric; of `cost` an amount as text, or null when none of its tokens has a price.
   * @example 31000000
   */
  @ApiProperty({ oneOf: [{ type: 'number' }, { type: 'string' }], nullable: true })
  value: ExactInteger | string | null;

  /**
   * Its part of the total; null when that is 0 or unknown.
   * @example 0.64
   */
  @ApiProperty({ type: 'number', nullable: true })
  share: number | null;

  /**
   * The metric in the range of the comparison; null without one.
   * @example 24800000
   */
  @ApiProperty({ oneOf: [{ type: 'number' }, { type: 'string' }], nullable: true })
  previous_value: ExactInteger | string | null;

  /**
   * (value - previous_value) / previous_value; null where that is 0, unknown or not asked for.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  change: number | null;

  /** One value for each day of the range; on the first page only. */
  series?: DayValue[];
}

export class BreakdownRow extends BreakdownFigures {
  /**
   * What the row stands for, as filters take it.
   * @example 'claude-sonnet-4-5'
   */
  key: string;
}

/** With what is said about costs where the metric is one. */
export class BreakdownMeta extends IntersectionType(ComparedMeta, PartialType(CostMetaDto)) {
  /**
   * For what there is a row each.
   * @example 'model'
   */
  dimension: string;

  /**
   * What is counted.
   * @example 'billable_tokens'
   */
  metric: string;

  /**
   * Whether there are further rows.
   * @example true
   */
  has_more: boolean;

  /**
   * The cursor of the next page; absent on the last one.
   * @example 'WyI0MiIsIiIsIiIsIjEyMDAiLCJjbGF1ZGUiXQ.0123456789abcdef'
   */
  next_cursor?: string;
}

export class PersonTotals extends PersonFiguresDto {
  /**
   * Days with any event.
   * @example 18
   */
  @ApiProperty({ type: 'number' })
  active_days: ExactInteger;
}

export class PersonDay extends PersonFiguresDto {
  /**
   * The day.
   * @example '2026-10-01'
   */
  date: string;
}

export class PersonModel extends ModelFiguresDto {
  /**
   * The model.
   * @example 'claude-sonnet-4-5'
   */
  model_id: string;
}

export class PersonTool {
  /**
   * The tool.
   * @example 'Read'
   */
  tool: string;

  /**
   * Calls.
   * @example 420
   */
  @ApiProperty({ type: 'number' })
  count: ExactInteger;
}

/** What one person used. */
export class PersonData {
  /**
   * The user.
   * @example '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'
   */
  user_id: string;

  /**
   * The address; null for a user whose address was erased.
   * @example 'ada@example.com'
   */
  @ApiProperty({ type: 'string', nullable: true })
  user_email: string | null;

  /** Over the range. */
  totals: PersonTotals;

  /** One row for each day of the range, zeros included. */
  days: PersonDay[];

  /** By model, most billable tokens first. */
  models: PersonModel[];

  /** By tool, most calls first. */
  tools: PersonTool[];
}
