import type { Price, PricePreview } from '../../../api/prices.js';
import type { FieldProblem } from '../../../api/problem.js';

/** What a price has a number for, in dollars per million tokens. */
export const RATES = {
  input: 'Input',
  output: 'Output',
  cacheRead: 'Cache read',
  cacheWrite: 'Cache write',
  cacheWrite1h: 'Cache write, 1 h',
} as const;
export type Rate = keyof typeof RATES;
export const RATE_NAMES = Object.keys(RATES) as Rate[];

export const isFactor = ({ factor }: Price) => factor !== undefined;

export function titleOf({ model, provider, factor }: Price): string {
  return factor === undefined ? (model ?? 'a model') : `all of ${provider ?? 'a provider'} × ${factor}`;
}

type Rates = Partial<Record<Rate, string>>;

/** Three numbers in one column, so that a price fits the page. */
export const cacheRates = ({ cacheRead, cacheWrite, cacheWrite1h }: Rates): string =>
  [cacheRead, cacheWrite, cacheWrite1h].map((rate) => rate ?? '–').join(' / ');

/** From when until when; open without an end. */
export function inForce({ since, until }: { since?: string; until?: string }): string {
  return until === undefined ? (since ?? 'always') : `${since ?? ''} – ${until}`;
}

/** Which model has how many tokens without a price, largest first. */
export function unpricedOf({ changes }: PricePreview): { model: string; tokens: number }[] {
  const byModel = new Map<string, number>();
  for (const { model, unpricedTokens } of changes) {
    if (unpricedTokens > 0) byModel.set(model, (byModel.get(model) ?? 0) + unpricedTokens);
  }
  return [...byModel].map(([model, tokens]) => ({ model, tokens })).sort((a, b) => b.tokens - a.tokens);
}

/** Only rows that would change; a preview also names what stays without a price. */
export function changesOf({ changes }: PricePreview): PricePreview['changes'] {
  return changes.filter(({ oldCost, newCost, newlyPricedTokens }) => oldCost !== newCost || newlyPricedTokens > 0);
}

/** By place in the list; what belongs to no row is under -1. */
export function problemsByRow(problems: readonly FieldProblem[]): ReadonlyMap<number, string> {
  const byRow = new Map<number, string>();
  for (const { field, message } of problems) {
    const [, place, name] = /^prices\.(\d+)(?:\.(.+))?$/.exec(field) ?? [];
    const row = place === undefined ? -1 : Number(place);
    const text = `${place === undefined ? field : (name ?? '')} ${message}`.trim();
    byRow.set(row, byRow.has(row) ? `${byRow.get(row)}; ${text}` : text);
  }
  return byRow;
}
