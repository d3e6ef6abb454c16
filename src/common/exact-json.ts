/* JSON with integers beyond 2^53 as `bigint`, marked with NUL on the way, which no text of this service contains. */

export type ExactInteger = number | bigint;

const LONG_DIGITS = /\d{16}/;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const WHOLE_NUMBER = /^-?\d{16,}$/;
const MARKED = /"\\u0000(-?\d+)"/g;

/** From digits, as Postgres writes a `bigint`. */
export function toExactInteger(digits: string): ExactInteger {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

export function parseExact(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKENS, (token) =>
    WHOLE_NUMBER.test(token) && !Number.isSafeInteger(Number(token)) ? `"\\u0000${token}"` : token,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('\0') ? BigInt(value.slice(1)) : value,
  );
}

export function stringifyExact(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Only a `bigint`, which is rare, needs the slow way; other errors are thrown again.
    const marked = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `\0${each}` : each));
    return marked.replace(MARKED, '$1');
  }
}

export function addExact(a: ExactInteger, b: number): ExactInteger {
  if (typeof a === 'number' && Number.isSafeInteger(a + b)) return a + b;
  return BigInt(a) + BigInt(b);
}
