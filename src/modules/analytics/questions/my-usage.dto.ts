import { ApiProperty } from '@nestjs/swagger';
import { type ExactInteger, toExactInteger } from '../../../common/exact-json.js';
import { Day } from '../../../common/validation/rules.js';
import { type ShownFigure, type ShownFigures, shownFigures } from './figures.js';
import { MODEL_FIGURES } from './model-figures.js';
import { COST_REASONS } from './money.js';
import { MyFigures, MyModelFigures } from './my-usage.figures.dto.js';
import type { OwnUsage } from './people.service.js';
import { PERSON_METRICS } from './person.js';

export class MyUsageQuery {
  /**
   * First day (UTC), YYYY-MM-DD. Before the first day of data, rows begin with that day.
   * @example '2026-10-01'
   */
  @Day()
  startDate: string;

  /**
   * Last day (UTC), YYYY-MM-DD, today at the latest; at most 366 days in all.
   * @example '2026-10-31'
   */
  @Day()
  endDate: string;
}

export class MyTotals extends MyFigures {
  /**
   * Days with any event.
   * @example 18
   */
  @ApiProperty({ type: 'number' })
  activeDays: ExactInteger;
}

export class MyDay extends MyFigures {
  /**
   * The day.
   * @example '2026-10-01'
   */
  date: string;

  /**
   * False for today: it goes on.
   * @example true
   */
  final: boolean;
}

export class MyModel extends MyModelFigures {
  /**
   * The model.
   * @example 'claude-sonnet-4-5'
   */
  modelId: string;
}

export class MyTool {
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

/** What the caller used. */
export class MyUsageResponse {
  /**
   * The first day.
   * @example '2026-10-01'
   */
  startDate: string;

  /**
   * The last day that was asked for.
   * @example '2026-10-31'
   */
  endDate: string;

  /**
   * When the newest figure was computed, ISO 8601; null when none was.
   * @example '2026-11-01T00:05:12.000Z'
   */
  @ApiProperty({ type: 'string', nullable: true })
  dataAsOf: string | null;

  /** Over all days that are listed. */
  totals: MyTotals;

  /** One row for each day, zeros included. */
  days: MyDay[];

  /** By model, most billable tokens first. */
  models: MyModel[];

  /** By tool, most calls first. */
  tools: MyTool[];

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
   * Why costs are estimates.
   * @example ['list_price']
   */
  @ApiProperty({ enum: COST_REASONS, isArray: true })
  reasons: readonly string[];

  /**
   * Tokens for which no price is known. They are not part of the cost.
   * @example 120000
   */
  @ApiProperty({ type: 'number' })
  unpricedTokens: ExactInteger;

  /**
   * Their models.
   * @example ['in-house-model']
   */
  @ApiProperty({ type: 'string', isArray: true })
  unpricedModels: readonly string[];
}

export function toMyUsageResponse({ person, range, today, dataAsOf }: OwnUsage): MyUsageResponse {
  const { totals, days, models, tools, money } = person;
  return {
    startDate: range.start.toString(),
    endDate: range.end.toString(),
    dataAsOf: dataAsOf?.toISOString() ?? null,
    totals: camelCased(shownFigures([...PERSON_METRICS, 'active_days'], totals)) as MyTotals,
    days: days.map(({ date, figures }) => ({
      date,
      final: date !== today,
      ...(camelCased(shownFigures(PERSON_METRICS, figures)) as MyFigures),
    })),
    models: models.map(({ model, figures }) => ({
      modelId: model,
      ...(camelCased(shownFigures(MODEL_FIGURES, figures)) as MyModelFigures),
    })),
    tools: tools.map(({ tool, count }) => ({
      tool,
      count: toExactInteger(String(count)),
    })),
    currency: money.meta.currency,
    estimated: money.meta.estimated,
    reasons: money.meta.reasons,
    unpricedTokens: money.meta.unpriced_tokens,
    unpricedModels: money.meta.unpriced_models,
  };
}

/** Names of metrics in the spelling of v0. */
function camelCased(figures: ShownFigures<string>): object {
  const nameOf = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]): [string, ShownFigure] => [nameOf(name), value]),
  );
}
