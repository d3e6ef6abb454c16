import { sumKnown } from './figures.js';

/** Tokens with and without a price. */
interface Pricing {
  readonly priced: bigint;
  readonly unpriced: bigint;
}

/** A figure of a breakdown; null: not known. `pricing`: of a cost, which is not known when no token has a price. */
export interface Amount {
  readonly value: bigint | null;
  readonly pricing: Pricing | null;
}

/** By day; on a day that is missing nothing happened. */
export type Series = ReadonlyMap<string, Amount>;

export const amountOf = (value: bigint | null): Amount => ({ value, pricing: null });
export const NOTHING = amountOf(0n);

export function costAmount(picoDollars: bigint, pricing: Pricing): Amount {
  return { value: pricing.unpriced > 0n && pricing.priced === 0n ? null : picoDollars, pricing };
}

export function sumOf(amounts: readonly Amount[]): Amount {
  const known = sumKnown(amounts.map(({ value }) => value));
  const pricings = amounts.flatMap(({ pricing }) => pricing ?? []);
  if (pricings.length === 0) return amountOf(known);
  const sum = (of: keyof Pricing) => pricings.reduce((total, pricing) => total + pricing[of], 0n);
  return costAmount(known ?? 0n, { priced: sum('priced'), unpriced: sum('unpriced') });
}

/** What is left of a sum. */
export function without(total: Amount, part: Amount): Amount {
  if (!total.pricing) return amountOf(total.value === null ? null : total.value - (part.value ?? 0n));
  const left = (of: keyof Pricing) => (total.pricing?.[of] ?? 0n) - (part.pricing?.[of] ?? 0n);
  return costAmount((total.value ?? 0n) - (part.value ?? 0n), { priced: left('priced'), unpriced: left('unpriced') });
}
