const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 };

export type ReadLimit = { readonly limit: number | null } | { readonly problem: string };

const RULE = 'A whole number, such as 500000, 500k or 20M; empty for no limit, 0 to block.';

/** What is typed as a limit; empty: none. */
export function readLimit(text: string): ReadLimit {
  const plain = text.replace(/[\s,_]/g, '').toLowerCase();
  if (plain === '') return { limit: null };
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([kmb]?)$/.exec(plain) ?? [];
  if (digits === undefined) return { problem: RULE };
  const limit = Math.round(Number(digits) * (UNITS[unit] ?? 1) * 1e6) / 1e6;
  return Number.isSafeInteger(limit) ? { limit } : { problem: RULE };
}

export function showLimit(limit: number | null): string {
  return limit === null ? '' : limit.toLocaleString('en');
}

const DAY_MS = 86_400_000;

/** At the pace so far, until the count starts again; null on the first day of a month, when there is no pace yet. */
export function forecast(used: number, resetsAt: string, nowMs: number): number | null {
  const end = new Date(resetsAt);
  const startMs = Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, 1);
  const elapsedMs = nowMs - startMs;
  if (elapsedMs < DAY_MS) return null;
  return Math.round((used * (end.getTime() - startMs)) / Math.min(elapsedMs, end.getTime() - startMs));
}
