import { textOf } from '../address-text.js';

/** The two sides of the comparison, as the address has them. */
export interface Revisions {
  readonly a?: number | undefined;
  readonly b?: number | undefined;
}

const revisionOf = (value: unknown): number | undefined => {
  const text = textOf(value) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
};

export function readRevisions(raw: Record<string, unknown>): Revisions {
  return { a: revisionOf(raw.a), b: revisionOf(raw.b) };
}

/** Without a choice: what the last change did. Revision 0 is nothing. */
export function comparedRevisions({ a, b }: Revisions, newest: number): { a: number; b: number } {
  const to = b ?? newest;
  return { a: a ?? Math.max(to - 1, 0), b: to };
}
