import { type ExactInteger, toExactInteger } from '../../../common/exact-json.js';
import { costOf } from '../../../prices/cost.js';
import type { CallClass, RateTable } from './rate-table.js';

/** Why an amount is an estimate. */
export const COST_REASONS = [
  'list_price',
  'time_to_live_unknown',
  'size_of_call_unknown',
  'tier_unknown',
  'window_unknown',
  'raw_events_gone',
] as const;
type CostReason = (typeof COST_REASONS)[number];

/** Tokens of a class, added up. `isUnknown`: made from stored rows that do not tell cached tokens apart. */
export interface ClassTokens extends CallClass {
  readonly segment: number;
  readonly isUnknown: boolean;
  readonly input: bigint;
  readonly output: bigint;
  readonly cacheRead: bigint;
  readonly cacheWrite: bigint;
  readonly cacheWrite1h: bigint;
  /** The part of `cacheWrite` of which the time to live is not known. */
  readonly cacheWriteUntold: bigint;
}

/** What `meta` says wherever there is a cost. */
export interface CostMeta {
  readonly currency: 'USD';
  readonly estimated: true;
  readonly reasons: readonly CostReason[];
  readonly unpriced_tokens: ExactInteger;
  readonly unpriced_models: readonly string[];
}

/** An amount that is put together from tokens and rates, exactly, and what is left out of it. */
export class Money {
  private picoDollars = 0n;
  private hasPrice = false;
  private unpriced = 0n;
  private readonly unpricedModels = new Set<string>();
  private readonly reasons = new Set<CostReason>();

  constructor(private readonly rates: RateTable) {}

  add(tokens: ClassTokens): this {
    const all = tokens.input + tokens.output;
    if (tokens.isUnknown) {
      this.leaveOut(tokens.model, all);
      if (all > 0n) this.reasons.add('raw_events_gone');
      return this;
    }
    const found = this.rates.find(tokens, tokens.segment);
    const { picoDollars, unpricedTokens } = costOf(tokens, found?.rates ?? null);
    this.picoDollars += picoDollars;
    this.leaveOut(tokens.model, unpricedTokens);
    if (found === null || unpricedTokens === all) return this;
    this.hasPrice = true;
    for (const reason of ['list_price' as const, ...found.reasons]) this.reasons.add(reason);
    const hasOtherRate = found.rates.cacheWrite1h !== null && found.rates.cacheWrite1h !== found.rates.cacheWrite;
    if (tokens.cacheWriteUntold > 0n && hasOtherRate) this.reasons.add('time_to_live_unknown');
    return this;
  }

  /** In pico-dollars; null when there are tokens, but no price for any of them. */
  get amount(): bigint | null {
    return this.hasPrice || this.unpriced === 0n ? this.picoDollars : null;
  }

  get meta(): CostMeta {
    return {
      currency: 'USD',
      estimated: true,
      reasons: COST_REASONS.filter((reason) => this.reasons.has(reason)),
      unpriced_tokens: toExactInteger(String(this.unpriced)),
      unpriced_models: [...this.unpricedModels].sort(),
    };
  }

  private leaveOut(model: string, tokens: bigint): void {
    if (tokens === 0n) return;
    this.unpriced += tokens;
    this.unpricedModels.add(model);
  }
}
