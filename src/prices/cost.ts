import { dividedHalfEven } from './decimal.js';
import type { Rates } from './price-layer.js';

/** Sums of calls of one price class. Cached tokens are part of `input`, `cacheWrite1h` is part of `cacheWrite`. */
export interface TokenSums {
  readonly input: bigint;
  readonly output: bigint;
  readonly cacheRead: bigint;
  readonly cacheWrite: bigint;
  readonly cacheWrite1h: bigint;
}

export interface Cost {
  readonly picoDollars: bigint;
  /** Tokens for which no rate is known; they are not in the sum. */
  readonly unpricedTokens: bigint;
}

/** Exact. `rates` null: the model has no price. */
export function costOf(tokens: TokenSums, rates: Rates | null): Cost {
  const parts: [bigint, bigint | null | undefined][] = [
    [tokens.input - tokens.cacheRead - tokens.cacheWrite, rates?.input],
    [tokens.output, rates?.output],
    [tokens.cacheRead, rates?.cacheRead],
    [tokens.cacheWrite - tokens.cacheWrite1h, rates?.cacheWrite],
    [tokens.cacheWrite1h, rates?.cacheWrite1h],
  ];
  let [picoDollars, unpricedTokens] = [0n, 0n];
  for (const [count, rate] of parts) {
    if (rate === null || rate === undefined) unpricedTokens += count;
    else picoDollars += count * rate;
  }
  return { picoDollars, unpricedTokens };
}

/** US dollars with six decimals, rounded half to even: for the end of a computation only. */
export function formatDollars(picoDollars: bigint): string {
  const size = picoDollars < 0n ? -picoDollars : picoDollars;
  const millionths = dividedHalfEven(size, 1_000_000n);
  const sign = picoDollars < 0n && millionths > 0n ? '-' : '';
  return `${sign}${millionths / 1_000_000n}.${(millionths % 1_000_000n).toString().padStart(6, '0')}`;
}
