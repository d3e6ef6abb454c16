import type { UtcDay } from '../common/time/utc-day.js';

/** Pico-dollars per token, so that every product is an exact integer; null: no price is known. */
export interface Rates {
  readonly input: bigint | null;
  readonly output: bigint | null;
  readonly cacheRead: bigint | null;
  readonly cacheWrite: bigint | null;
  /** Null: written with a time to live of an hour, but only the price of `cacheWrite` is known. */
  readonly cacheWrite1h: bigint | null;
}

/** Calls of a day that have one price: input tokens in (above, upTo], minutes of the day in [fromMinute, toMinute). */
export interface PriceClass {
  readonly above: number;
  readonly upTo: number;
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** The rates of a price class on the days [since, until). */
export interface RateSpan {
  readonly since: string;
  readonly until: string;
  readonly above: number;
  readonly minute: number;
  readonly rates: Rates;
}

/** Dated prices of models, from the lists of the product, the operator and an organization. */
export class PriceList {
  /** Changes with every price. */
  readonly revision: string = 'empty';

  /** Empty when all calls of the model have one price on that day. */
  classesOf(_modelId: string, _day: UtcDay): PriceClass[] {
    return [];
  }

  /** Changes when the classes of that day do, for any model. */
  classRulesOf(_day: UtcDay): string {
    return '';
  }

  /** The rates of every class of the model, `to` included; days without a price are left out. */
  spansOf(_modelId: string, _from: UtcDay, _to: UtcDay): RateSpan[] {
    return [];
  }
}
