import { ApiProperty } from '@nestjs/swagger';
import { type ExactInteger, toExactInteger } from '../../../common/exact-json.js';
import { type Cost, formatDollars } from '../../../prices/cost.js';
import type { PreviewRow } from './price-preview.js';

/** Amounts before and after the change, in US dollars as decimal text; null: there are tokens, but none has a price. */
export class PreviewAmounts {
  /**
   * With the prices in force.
   * @example "12.500000"
   */
  oldCost: string | null;

  /**
   * With the prices of the request.
   * @example "11.250000"
   */
  newCost: string | null;

  /**
   * The new less the old; an amount that is null counts as none.
   * @example "-1.250000"
   */
  difference: string;

  /**
   * Tokens that have no price now, and would get one.
   * @example 0
   */
  @ApiProperty({ type: 'number' })
  newlyPricedTokens: ExactInteger;

  /**
   * Tokens that would have no price.
   * @example 0
   */
  @ApiProperty({ type: 'number' })
  unpricedTokens: ExactInteger;
}

/** What would change for a model in a month. */
export class PreviewChange extends PreviewAmounts {
  /**
   * Month in UTC.
   * @example "2026-10"
   */
  month: string;

  /**
   * The model, as it was called.
   * @example "claude-sonnet-4-5"
   */
  model: string;

  /**
   * Calls; null when days are among them whose calls were not counted.
   * @example 420
   */
  @ApiProperty({ type: 'number', nullable: true })
  calls: ExactInteger | null;

  /**
   * Input and output tokens.
   * @example 1250000
   */
  @ApiProperty({ type: 'number' })
  tokens: ExactInteger;

  /**
   * Whether tiers or times change, so that the amounts are final only when the days have been computed anew.
   * @example false
   */
  approximate: boolean;
}

/** What other prices would change. */
export class PricePreviewResponse {
  /**
   * Of all amounts.
   * @example "USD"
   */
  currency: string;

  /**
   * Always true: amounts follow from prices, not from invoices.
   * @example true
   */
  estimated: boolean;

  /** By month and model; only where an amount changes or tokens have no price. */
  changes: PreviewChange[];

  /** Sums of `changes`. */
  total: PreviewAmounts;
}

export function toPricePreviewResponse(rows: readonly PreviewRow[]): PricePreviewResponse {
  const sum = (costOf: (row: PreviewRow) => Cost) =>
    rows.map(costOf).reduce(
      (all, { picoDollars, unpricedTokens }) => ({
        picoDollars: all.picoDollars + picoDollars,
        unpricedTokens: all.unpricedTokens + unpricedTokens,
      }),
      { picoDollars: 0n, unpricedTokens: 0n },
    );
  const tokens = rows.reduce((all, row) => all + row.tokens, 0n);
  return {
    currency: 'USD',
    estimated: true,
    changes: rows.map((row) => ({
      month: row.month,
      model: row.model,
      calls: row.calls === null ? null : exact(row.calls),
      tokens: exact(row.tokens),
      ...amounts(row.tokens, row.before, row.after),
      approximate: row.isApproximate,
    })),
    total: amounts(
      tokens,
      sum(({ before }) => before),
      sum(({ after }) => after),
    ),
  };
}

function amounts(tokens: bigint, before: Cost, after: Cost): PreviewAmounts {
  const newlyPriced = before.unpricedTokens - after.unpricedTokens;
  return {
    oldCost: amount(tokens, before),
    newCost: amount(tokens, after),
    difference: formatDollars(after.picoDollars - before.picoDollars),
    newlyPricedTokens: exact(newlyPriced > 0n ? newlyPriced : 0n),
    unpricedTokens: exact(after.unpricedTokens),
  };
}

function amount(tokens: bigint, { picoDollars, unpricedTokens }: Cost): string | null {
  return tokens > 0n && unpricedTokens === tokens ? null : formatDollars(picoDollars);
}

function exact(count: bigint): ExactInteger {
  return toExactInteger(String(count));
}
