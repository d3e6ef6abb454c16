export const sum = (numbers: number[]) => numbers.reduce((total, next) => total + next, 0);
export const distinct = (values: string[]) => new Set(values).size;
export const average = (numbers: number[]) => (numbers.length === 0 ? 0 : sum(numbers) / numbers.length);

/** Continuous: between the two values next to the place. */
export function percentile(sorted: number[], fraction: number): number {
  const place = fraction * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? 0;
  const high = sorted[Math.ceil(place)] ?? 0;
  return low + (place - Math.floor(place)) * (high - low);
}

/** How often each occurs: most frequent first, then by name. */
export function counts(names: string[]): [string, number][] {
  return groups(names, (name) => name)
    .map(([name, same]): [string, number] => [name, same.length])
    .sort(([a, m], [b, n]) => n - m || byCodePoint(a, b));
}

export function groups<T>(items: T[], keyOf: (item: T) => string): [string, T[]][] {
  const found = new Map<string, T[]>();
  for (const item of items) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item]);
  return [...found];
}

/** UTF-16, in which JavaScript compares strings, has another order beyond the first 65,536 characters. */
export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
