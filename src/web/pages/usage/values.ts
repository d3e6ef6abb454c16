/** Of charts: cost is decimal text, everything else a number; unknown counts as nothing. */
export function numberOf(value: number | string | null): number {
  return value === null ? 0 : Number(value);
}
