import type { NaiveFigure } from './naive-questions.js';

/* How figures are written in answers. */

/** Rounded half to even. */
function dollars(picoDollars: bigint): string {
  const [whole, rest] = [picoDollars / 1_000_000n, picoDollars % 1_000_000n];
  const isUp = rest > 500_000n || (rest === 500_000n && whole % 2n === 1n);
  const digits = String(whole + (isUp ? 1n : 0n)).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

export function shown(metric: string, value: bigint | null): unknown {
  if (value === null) return null;
  return metric === 'cost' ? dollars(value) : Number(value);
}

const ratio = (value: bigint | null, base: bigint | null) =>
  value === null || base === null || base === 0n ? null : Number(value) / Number(base);

export function change(now: bigint | null, before: bigint | null): number | null {
  return now === null || before === null ? null : ratio(now - before, before);
}

/** `before` undefined: nothing is compared; null: the row did not occur then. */
export function shownRow(
  metric: string,
  now: NaiveFigure,
  before: NaiveFigure | null | undefined,
  total: bigint | null,
) {
  const previous = before === undefined ? null : before === null ? 0n : before.value;
  return {
    value: shown(metric, now.value),
    share: ratio(now.value, total),
    previous_value: shown(metric, previous),
    change: change(now.value, previous),
    series: [...now.series].map(([date, value]) => ({ date, value: shown(metric, value) })),
  };
}
