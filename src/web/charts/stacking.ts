/** A named series of daily values; the days are those of the chart. */
export interface Series {
  readonly key: string;
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** Each series on top of those before it: what an area chart draws, the last one on top. */
export function stacked(series: readonly Series[]): number[][] {
  const sums: number[][] = [];
  let below: readonly number[] = [];
  for (const { values } of series) {
    const top = values.map((value, i) => (below[i] ?? 0) + (value ?? 0));
    sums.push(top);
    below = top;
  }
  return sums;
}

/** The values of each series for every day of the chart; a day that is missing counts as nothing. */
export function aligned(
  days: readonly string[],
  rows: readonly { key: string; label: string; series: readonly { date: string; value: number | null }[] }[],
): Series[] {
  return rows.map(({ key, label, series }) => {
    const byDay = new Map(series.map(({ date, value }) => [date, value]));
    return { key, label, values: days.map((day) => byDay.get(day) ?? 0) };
  });
}
