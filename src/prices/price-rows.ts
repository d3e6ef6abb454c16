import { formatDecimal, scaled } from './decimal.js';
import type { AppliedPrice } from './price-index.js';
import { type LayerName, RATE_NAMES, type Rates, type TimeWindow } from './price-layer.js';
import { ratesBy } from './price-reader.js';
import { formatMinute, WEEKDAYS } from './price-values.js';

type RateTexts = Partial<Record<(typeof RATE_NAMES)[number], string>>;

/** A price as text, in the form in which prices are written. */
export interface PriceRow extends RateTexts {
  model: string;
  provider?: string;
  since?: string;
  until?: string;
  tiers?: (RateTexts & { above: number })[];
  windows?: { days: string[]; utc: string[]; factor: string }[];
  promotional?: true;
  layer: LayerName;
}

/** With the factor of the provider in its rates; time windows multiply them. */
export function toPriceRow({ modelId, provider, layer, since, until, price, factor }: AppliedPrice): PriceRow {
  const texts = (rates: Rates) => rateTexts(rates, factor);
  return {
    model: modelId,
    ...(provider === null ? {} : { provider }),
    ...(since === -Infinity ? {} : { since: formatMinute(since) }),
    ...(until === Infinity ? {} : { until: formatMinute(until) }),
    ...texts(price.rates),
    ...(price.tiers.length === 0 ? {} : { tiers: price.tiers.map(({ above, rates }) => ({ above, ...texts(rates) })) }),
    ...(price.windows.length === 0 ? {} : { windows: price.windows.map(windowText) }),
    ...(price.isPromotional ? { promotional: true } : {}),
    layer,
  };
}

function rateTexts(rates: Rates, factor: bigint | null): RateTexts {
  const factors = factor === null ? [] : [factor];
  const known = ratesBy((name) => (rates[name] === null ? null : scaled(rates[name], factors)));
  return Object.fromEntries(
    RATE_NAMES.flatMap((name) => (known[name] === null ? [] : [[name, formatDecimal(known[name])]])),
  );
}

function windowText({ weekdays, from, to, factor }: TimeWindow): { days: string[]; utc: string[]; factor: string } {
  const clock = (minute: number) =>
    `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  return {
    days: weekdays.map((day) => WEEKDAYS[day] ?? ''),
    utc: [`${clock(from)}-${clock(to)}`],
    factor: formatDecimal(factor),
  };
}
