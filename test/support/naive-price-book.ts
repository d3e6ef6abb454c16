import { naivePrice, type NaiveRow } from './naive-price.js';
import type { Event } from './reported-events.js';

/** A model of the built-in list, as it is in the file. */
export interface NaiveModel {
  readonly id: string;
  readonly provider: string;
  readonly prices: NaiveRow[];
}

/** A price or a factor of an organization, as it is sent. */
export type NaiveOwnPrice = NaiveRow & { model?: string; provider?: string; factor?: string };

export interface NaiveCost {
  readonly picoDollars: bigint;
  readonly tokens: bigint;
  readonly unpricedTokens: bigint;
}

/** What each call costs: prices of the organization before those of the list, for the time that they name. */
export class NaivePriceBook {
  constructor(
    private readonly listed: readonly NaiveModel[],
    private readonly own: readonly NaiveOwnPrice[],
  ) {}

  costOf(event: Event): NaiveCost {
    const at = new Date(event.at);
    const holds = ({ since, until }: NaiveRow) =>
      new Date(since ?? 0) <= at && (until === undefined || at < new Date(until));
    const count = (field: string) => (event[field] as number | undefined) ?? 0;
    const call = {
      input: count('inputTokens'),
      output: count('outputTokens'),
      cacheRead: count('cacheReadTokens'),
      cacheWrite: count('cacheWriteTokens'),
      cacheWrite1h: count('cacheWrite1hTokens'),
    };
    const own = this.own.filter((row) => row.model === event.names.model && holds(row));
    const model = this.listed.find(({ id }) => id === event.names.model);
    const factor = this.own.find((row) => row.factor !== undefined && row.provider === model?.provider && holds(row));
    const cost =
      own.length > 0
        ? naivePrice(own, null, at, call)
        : naivePrice(model?.prices ?? [], factor?.factor ?? null, at, call);
    return { ...cost, tokens: BigInt(call.input + call.output) };
  }
}
