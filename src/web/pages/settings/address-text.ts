/** Text of the address; the router reads what looks like a number or JSON as such. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value || undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
