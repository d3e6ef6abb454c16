/**
 * What a value holds, as a text that is the same for the same content in whatever order its fields came, and different
 * for different content. Quicker to make than JSON: texts are not searched for what would have to be escaped.
 */
export function contentOf(value: unknown): string {
  if (typeof value === 'string') return `${value.length}"${value}`;
  if (typeof value !== 'object' || value === null) return `${String(value)};`;
  if (Array.isArray(value)) return `[${value.map(contentOf).join('')}]`;
  const fields = value as Record<string, unknown>;
  let content = '{';
  for (const name of Object.keys(fields).sort()) content += `${name.length}"${name}${contentOf(fields[name])}`;
  return `${content}}`;
}
