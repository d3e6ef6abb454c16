import { createHash } from 'node:crypto';
import { boundedCache } from '../common/bounded-cache.js';
import type { UtcDay } from '../common/time/utc-day.js';
import { type DayPart, limitsOf, partsOf, RatesMemo } from './day-prices.js';
import { CHANNELS } from './model-names.js';
import { type AppliedPrice, PriceIndex } from './price-index.js';
import type { PriceLayer, Rates } from './price-layer.js';
import { MAX_INPUT_TOKENS, MINUTES_OF_DAY } from './price-values.js';
import { SpanRuns } from './span-runs.js';

export type { Rates } from './price-layer.js';

/**
 * Calls of a day that have one price: input tokens in (above, upTo], and none at all where `above` is 0; minutes of the day in
 * [fromMinute, toMinute).
 */
export interface PriceClass {
  readonly above: number;
  readonly upTo: number;
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** What is stored with the tokens of a price class. */
export interface ClassKey {
  /** The limit of the tier; 0: none, -1: not known, because several calls were reported as one. */
  readonly above: number;
  /** The first minute of the part of the day. */
  readonly minute: number;
}

/** Why the rates of a class are less certain than a list price is. */
export type RateReason =
  /** The size of the calls is not known: rates of the lowest tier. */
  | 'size_of_call_unknown'
  /** The class was stored with other tiers than those of this list: rates of the tier that its calls surely reached. */
  | 'tier_unknown'
  /** The class was stored with other times than those of this list: rates of its first minute. */
  | 'window_unknown';

/** The rates of a price class on the days [since, until). */
export interface RateSpan extends ClassKey {
  readonly since: string;
  readonly until: string;
  readonly rates: Rates;
  readonly reasons: readonly RateReason[];
}

/** Above for calls whose size is not known. */
export const SIZE_UNKNOWN = -1;

const MAX_REMEMBERED = 20_000;

/** Dated prices of models, from the lists of the product, the operator and an organization. */
export class PriceList {
  /** Changes with every price. */
  readonly revision: string;
  private readonly index: PriceIndex;
  private readonly rates = new RatesMemo();
  private readonly timelines = boundedCache<AppliedPrice[]>(MAX_REMEMBERED);
  private readonly rules = boundedCache<string>(MAX_REMEMBERED);

  /** `layers`: the lowest first. */
  constructor(private readonly layers: readonly PriceLayer[] = []) {
    this.index = new PriceIndex(layers);
    this.revision = layers.length === 0 ? 'empty' : digestOf(layers);
  }

  /** This list with one more layer on top. */
  with(layer: PriceLayer): PriceList {
    return new PriceList([...this.layers, layer]);
  }

  /** Every model that has a price at some time. */
  modelIds(): string[] {
    return this.index.modelIds();
  }

  /** What applies to calls of the model at that time; null: nothing, it is unpriced. */
  appliedAt(modelId: string, at: Date): AppliedPrice | null {
    const minute = Math.floor(at.getTime() / 60_000);
    return this.timelineOf(modelId).find(({ since, until }) => since <= minute && minute < until) ?? null;
  }

  /** Empty when all calls of the model have one price on that day. */
  classesOf(modelId: string, day: UtcDay): PriceClass[] {
    const classes = partsOf(this.timelineOf(modelId), day).flatMap((part) => {
      const limits = limitsOf(part);
      return limits.map((above, tier) => ({
        above,
        upTo: limits[tier + 1] ?? MAX_INPUT_TOKENS,
        fromMinute: part.from,
        toMinute: part.to,
      }));
    });
    return classes.length === 1 ? [] : classes;
  }

  /** Changes when the classes of that day do, for any model; '' when there are none. Rates do not matter. */
  classRulesOf(day: UtcDay): string {
    const text = day.toString();
    const known = this.rules.get(text);
    if (known !== undefined) return known;
    const rules = this.index.names().flatMap((name) => {
      const classes = this.classesOf(name, day).map(({ above, fromMinute }) => `${above}@${fromMinute}`);
      return classes.length === 0 ? [] : [`${name} ${classes.join(' ')}`];
    });
    const digest = rules.length === 0 ? '' : digestOf([rules, this.channelsOf(day)]);
    this.rules.set(text, digest);
    return digest;
  }

  /**
   * The rates of every class of the model, `to` included, by class and then by day; days without a price are left out. Classes
   * in `stored` that this list does not have get the nearest rates, with a reason.
   */
  spansOf(modelId: string, from: UtcDay, to: UtcDay, stored: readonly ClassKey[] = []): RateSpan[] {
    const timeline = this.timelineOf(modelId);
    if (timeline.length === 0) return [];
    const runs = new SpanRuns();
    for (let day = from; !to.isBefore(day); day = day.next()) {
      const parts = partsOf(timeline, day);
      for (const part of parts) {
        for (const above of [SIZE_UNKNOWN, ...limitsOf(part)]) this.add(runs, day, parts, { above, minute: part.from });
      }
      for (const key of stored) this.add(runs, day, parts, key);
    }
    return runs.end();
  }

  private add(runs: SpanRuns, day: UtcDay, parts: readonly DayPart[], key: ClassKey): void {
    const part = parts.find(({ from, to }) => from <= key.minute && key.minute < to);
    if (!part?.applied) return;
    const limits = limitsOf(part);
    const above = limits.findLast((limit) => limit <= key.above) ?? 0;
    const reasons: RateReason[] = [];
    if (key.above === SIZE_UNKNOWN && limits.length > 1) reasons.push('size_of_call_unknown');
    if (key.above > above && above !== limits.at(-1)) reasons.push('tier_unknown');
    if (part.from !== key.minute && parts.length > 1) reasons.push('window_unknown');
    runs.add(day, key, this.rates.of({ ...part, applied: part.applied }, above), reasons);
  }

  private timelineOf(modelId: string): AppliedPrice[] {
    const known = this.timelines.get(modelId);
    if (known) return known;
    const timeline = this.index.timelineOf(modelId);
    this.timelines.set(modelId, timeline);
    return timeline;
  }

  /** Channels with a price list of the organization: names with their prefixes have classes then. */
  private channelsOf(day: UtcDay): unknown[] {
    const start = day.startsAt().getTime() / 60_000;
    return this.index
      .channelFactors()
      .filter(({ provider }) => (CHANNELS as readonly string[]).includes(provider))
      .map(({ provider, since, until }) => ({
        provider,
        from: Math.max(since - start, 0),
        to: Math.min(until - start, MINUTES_OF_DAY),
      }))
      .filter(({ from, to }) => from < to);
  }
}

function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint' || each === Infinity || each === -Infinity ? String(each) : each,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
