import type { Dimension } from './metrics.js';

/** A hook is stored as `[event, matcher, command]`. */
export function labelOf(dimension: Dimension, key: string, labels: ReadonlyMap<string, string>): string {
  const found = labels.get(key);
  if (found !== undefined) return found;
  return dimension === 'hook' ? (hookLabel(key) ?? key) : key;
}

function hookLabel(key: string): string | null {
  try {
    const parts = JSON.parse(key) as unknown;
    return Array.isArray(parts) ? parts.filter((part) => part !== '').join(' ') : null;
  } catch {
    return null;
  }
}
