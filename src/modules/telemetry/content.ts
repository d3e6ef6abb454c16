/** Canonical: equal for equal content in any key order. Faster than JSON.stringify, as nothing is escaped. */
export function contentOf(value: unknown): string {
  if (typeof value === 'string') return `${value.length}"${value}`;
  if (typeof value !== 'object' || value === null) return `${String(value)};`;
  if (Array.isArray(value)) return `[${value.map(contentOf).join('')}]`;
  const fields = value as Record<string, unknown>;
  let content = '{';
  for (const name of Object.keys(fields).sort()) content += `${name.length}"${name}${contentOf(fields[name])}`;
  return `${content}}`;
}
