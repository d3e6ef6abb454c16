import { isList, isWholeNumber } from '../common/validation/predicates.js';
import { Flag, Matches, Nested, NestedList, Optional, TextLength } from '../common/validation/rules.js';
import { parseDecimal } from './decimal.js';
import { MAX_INPUT_TOKENS, parseMinute, WEEKDAYS } from './price-values.js';

const MAX_PRICES = 1_000;
const MAX_PARTS = 20;

const Decimal = () =>
  Matches((value) => typeof value === 'string' && parseDecimal(value) !== null, {
    message: 'must be decimal text from "0" to "999999" with at most six decimals, such as "0.25"',
    schema: { pattern: '^(0|[1-9][0-9]{0,5})([.][0-9]{1,6})?$' },
  });

const Since = () =>
  Matches((value) => typeof value === 'string' && parseMinute(value) !== null, {
    message: 'must be a day written YYYY-MM-DD, or a whole minute such as 2026-08-16T16:00:00Z',
    schema: {},
  });

const TokenLimit = () =>
  Matches((value) => isWholeNumber(value, 1, MAX_INPUT_TOKENS - 1), {
    message: `must be a whole number from 1 to ${MAX_INPUT_TOKENS - 1}`,
    schema: { type: 'integer', minimum: 1, maximum: MAX_INPUT_TOKENS - 1 },
  });

const ListOf = (choices: readonly string[] | null, message: string) =>
  Matches(
    (value) =>
      isList(value, 1, MAX_PARTS) &&
      value.every((item) => typeof item === 'string' && (choices?.includes(item) ?? true)),
    {
      message,
      schema: {
        type: 'array',
        items: { type: 'string', ...(choices ? { enum: [...choices] } : {}) },
        minItems: 1,
        maxItems: MAX_PARTS,
      },
    },
  );

/** US dollars per million tokens, as decimal text. What is left out has no price: it is not derived from the others. */
export class TokenPrices {
  /**
   * Of input that is neither read from nor written to a cache.
   * @example "3"
   */
  @Optional()
  @Decimal()
  input?: string;

  /**
   * Of output, thinking included.
   * @example "15"
   */
  @Optional()
  @Decimal()
  output?: string;

  /**
   * Of input that is read from a cache.
   * @example "0.3"
   */
  @Optional()
  @Decimal()
  cacheRead?: string;

  /**
   * Of input that is written to a cache, for the provider's default time to live.
   * @example "3.75"
   */
  @Optional()
  @Decimal()
  cacheWrite?: string;

  /**
   * Of input that is written to a cache for an hour.
   * @example "6"
   */
  @Optional()
  @Decimal()
  cacheWrite1h?: string;
}

/** Other prices for a whole request with much input; what is left out is as in the price it belongs to. */
export class PriceTier extends TokenPrices {
  /**
   * For more input tokens than this, cached ones included.
   * @example 200000
   */
  @Optional()
  @TokenLimit()
  above?: number;

  /**
   * For this many input tokens and more; instead of `above`.
   * @example 200001
   */
  @Optional()
  @TokenLimit()
  from?: number;

  /** Factors instead of prices. */
  @Optional()
  @Nested(() => TokenPrices)
  multipliers?: TokenPrices;
}

/** When all prices are multiplied. */
export class PriceWindow {
  /**
   * Weekdays in UTC; every day when left out.
   * @example ["mon", "tue", "wed", "thu", "fri"]
   */
  @Optional()
  @ListOf(WEEKDAYS, `must list days of ${WEEKDAYS.join(', ')}`)
  days?: string[];

  /**
   * Times of the day in UTC, the end excluded.
   * @example ["01:00-04:00"]
   */
  @ListOf(null, `must be a list of 1 to ${MAX_PARTS} ranges such as "01:00-04:00"`)
  utc: string[];

  /**
   * By what.
   * @example "2"
   */
  @Decimal()
  factor: string;
}

/** A price of a model, or a factor for all list prices of a provider, for a time. */
export class OrganizationPrice extends TokenPrices {
  /**
   * Id of the model; left out in a factor.
   * @example "claude-sonnet-4-5"
   */
  @Optional()
  @TextLength(1, 256)
  model?: string;

  /**
   * The provider, such as `anthropic`. In a factor also a channel (`azure`, `bedrock`, `copilot`, `opencode`, `openrouter`,
   * `vertex`), whose calls have no price without one.
   * @example "anthropic"
   */
  @Optional()
  @TextLength(1, 256)
  provider?: string;

  /**
   * By what the list prices of the provider are multiplied; instead of a model and its prices.
   * @example "0.9"
   */
  @Optional()
  @Decimal()
  factor?: string;

  /**
   * From when: a day, or a minute, in UTC. May be in the past or in the future.
   * @example "2026-11-01"
   */
  @Since()
  since: string;

  /**
   * Until when, this day or minute excluded; open when left out.
   * @example "2027-01-01"
   */
  @Optional()
  @Since()
  until?: string;

  /** Prices by size of the request, in rising order. */
  @Optional()
  @NestedList(() => PriceTier, 0, MAX_PARTS)
  tiers?: PriceTier[];

  /** Times with other prices. */
  @Optional()
  @NestedList(() => PriceWindow, 0, MAX_PARTS)
  windows?: PriceWindow[];

  /**
   * Whether it is temporary.
   * @example false
   */
  @Optional()
  @Flag()
  promotional?: boolean;
}

/** The prices of the organization, which come before all others. */
export class OrganizationPricesRequest {
  /**
   * All of them; an empty list leaves the list prices.
   * @example [{ "provider": "anthropic", "factor": "0.9", "since": "2026-11-01" }]
   */
  @NestedList(() => OrganizationPrice, 0, MAX_PRICES)
  prices: OrganizationPrice[];
}
