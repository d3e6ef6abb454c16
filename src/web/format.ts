/** One place for how figures look; the locale is that of the strings, not of the machine. */

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const CHANGE = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' });
const DOLLARS = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const INSTANT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const compact = (value: number) => COMPACT.format(value);
export const whole = (value: number) => WHOLE.format(value);
export const percent = (share: number) => PERCENT.format(share);
/** `null`: there is nothing to compare with. */
export const change = (ratio: number | null) => (ratio === null ? '–' : CHANGE.format(ratio));
export const day = (text: string) => DAY.format(new Date(`${text}T00:00:00Z`));
export const instant = (text: string) => INSTANT.format(new Date(text));

/** For the axis of a chart. */
export const roundDollars = (value: number) => `$${COMPACT.format(value)}`;

/** Decimal text of the service; null: no price is known. */
export function dollars(amount: string | null): string {
  return amount === null ? 'no price' : DOLLARS.format(Number(amount));
}

/** A metric: cost is decimal text, everything else a number. */
export function shownValue(value: number | string | null): string {
  if (value === null) return '–';
  return typeof value === 'string' ? dollars(value) : compact(value);
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

export function ago(text: string, nowMs: number): string {
  const elapsedMs = Date.parse(text) - nowMs;
  for (const [unit, ms] of UNITS) {
    if (Math.abs(elapsedMs) >= ms) return RELATIVE.format(Math.round(elapsedMs / ms), unit);
  }
  return 'just now';
}
