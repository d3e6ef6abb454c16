/** Pico-dollars per token, so that every product is an exact integer; null: no price is known. */
export interface Rates {
  readonly input: bigint | null;
  readonly output: bigint | null;
  readonly cacheRead: bigint | null;
  /** For cache writes of the provider's default time to live. */
  readonly cacheWrite: bigint | null;
  /** For cache writes that live an hour; null: no such price is known, or the provider has none. */
  readonly cacheWrite1h: bigint | null;
}

export const RATE_NAMES = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h'] as const;

/** In minutes since 1970 (UTC), `until` excluded; both may be infinite. */
export interface Period {
  readonly since: number;
  readonly until: number;
}

/** The rates of whole requests with more than `above` input tokens, cached ones included. */
export interface Tier {
  readonly above: number;
  readonly rates: Rates;
}

/** Minutes [from, to) of some weekdays (0: Sunday), in UTC, when all rates are multiplied. */
export interface TimeWindow {
  readonly weekdays: readonly number[];
  readonly from: number;
  readonly to: number;
  /** In millionths. */
  readonly factor: bigint;
}

export interface Price extends Period {
  readonly rates: Rates;
  /** By rising limit. */
  readonly tiers: readonly Tier[];
  readonly windows: readonly TimeWindow[];
  /** A temporary price, as the provider says. */
  readonly isPromotional: boolean;
}

/** Another name of a model, for a time. */
export interface Alias extends Period {
  readonly id: string;
}

export interface PricedModel {
  readonly id: string;
  readonly provider: string | null;
  readonly aliases: readonly Alias[];
  /** They do not overlap. */
  readonly prices: readonly Price[];
}

/** List prices of a provider, or of a channel such as `bedrock`, multiplied. */
export interface ProviderFactor extends Period {
  readonly provider: string;
  /** In millionths. */
  readonly factor: bigint;
}

export type LayerName = 'built-in' | 'operator' | 'organization';

/** Prices from one place; a later layer overrides an earlier one. */
export interface PriceLayer {
  readonly name: LayerName;
  readonly models: readonly PricedModel[];
  readonly factors: readonly ProviderFactor[];
  /** Ids that must not be taken for another model. */
  readonly unpriced: readonly string[];
}
