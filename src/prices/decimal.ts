const DECIMAL = /^(0|[1-9]\d{0,5})(?:\.(\d{1,6}))?$/;
const MILLION = 1_000_000n;

/** Millionths of a decimal text from 0 to 999999.999999; null when it is not one. */
export function parseDecimal(text: string): bigint | null {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  return whole === undefined ? null : BigInt(whole) * MILLION + BigInt(fraction.padEnd(6, '0'));
}

/** Without zeros at the end. */
export function formatDecimal(millionths: bigint): string {
  const fraction = (millionths % MILLION).toString().padStart(6, '0').replace(/0+$/, '');
  return `${millionths / MILLION}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The product with factors in millionths, rounded once, half to even. */
export function scaled(value: bigint, factors: readonly bigint[]): bigint {
  const product = factors.reduce((sum, factor) => sum * factor, value);
  return dividedHalfEven(product, MILLION ** BigInt(factors.length));
}

/** Of a dividend that is not negative. */
export function dividedHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}
