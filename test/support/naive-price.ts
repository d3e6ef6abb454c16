/** Prices of a model as they are written in a file. */
export interface NaiveRow {
  since: string | null;
  until?: string;
  [field: string]: unknown;
}

interface Calls {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** What one call costs by the rules in docs/prices.md, without classes; factors are exact until the end. */
export function naivePrice(rows: NaiveRow[], factor: string | null, at: Date, call: Calls) {
  const row = rows.find(
    ({ since, until }) => new Date(since ?? 0) <= at && (until === undefined || at < new Date(until)),
  );
  const tiers = (row?.tiers ?? []) as Record<string, unknown>[];
  const tier = tiers.findLast(({ above }) => call.input > (above as number));
  const windows = (row?.windows ?? []) as { days?: string[]; utc: string[]; factor: string }[];
  const clock = at.toISOString().slice(11, 16);
  const window = windows.find(
    ({ days = WEEKDAYS, utc }) =>
      days.includes(WEEKDAYS[at.getUTCDay()] ?? '') &&
      utc.some((range) => range.slice(0, 5) <= clock && clock < range.slice(6)),
  );
  const rateOf = (name: string): bigint | null => {
    const text = (tier?.[name] ?? row?.[name]) as string | undefined;
    if (text === undefined) return null;
    let [value, scale] = [millionths(text), 1n];
    for (const each of [window?.factor, factor]) {
      if (each === undefined || each === null) continue;
      [value, scale] = [value * millionths(each), scale * 1_000_000n];
    }
    const [floor, rest] = [value / scale, (value % scale) * 2n];
    return rest > scale || (rest === scale && floor % 2n === 1n) ? floor + 1n : floor;
  };
  const parts: [number, string][] = [
    [call.input - call.cacheRead - call.cacheWrite, 'input'],
    [call.output, 'output'],
    [call.cacheRead, 'cacheRead'],
    [call.cacheWrite - call.cacheWrite1h, 'cacheWrite'],
    [call.cacheWrite1h, 'cacheWrite1h'],
  ];
  let [picoDollars, unpricedTokens] = [0n, 0n];
  for (const [tokens, name] of parts) {
    const rate = rateOf(name);
    if (rate === null) unpricedTokens += BigInt(tokens);
    else picoDollars += BigInt(tokens) * rate;
  }
  return { picoDollars, unpricedTokens };
}

function millionths(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}
