import type { ApiAnswer, ApiClient } from './api-client.js';
import { ANALYTICS } from './given-usage.js';
import { NAIVE_METRICS, type NaiveFilters, type NaiveQuestions, type NaiveRange } from './naive-questions.js';
import { change, shown, shownRow } from './naive-shown.js';
import { daysBetween, daysFrom } from './reported-events.js';

type Row = ApiAnswer['body'];
export type NaiveComparison = 'previous' | 'year' | 'none';

export interface BreakdownCase {
  readonly dimension: string;
  readonly metric: string;
  readonly range: NaiveRange;
  readonly compare: NaiveComparison;
  readonly filters?: NaiveFilters;
  readonly limit: number;
  readonly search?: string;
  /** What people see instead of a key. */
  readonly labels?: ReadonlyMap<string, string>;
}

/** Whole weeks earlier, so that weekdays align. */
export function comparedWith([from, to]: NaiveRange, compare: NaiveComparison): NaiveRange | null {
  if (compare === 'none') return null;
  let shift = compare === 'year' ? 364 : 7;
  while (shift < daysBetween(from, to).length) shift += 7;
  return [daysFrom(from, -shift), daysFrom(to, -shift)];
}

async function ask(client: ApiClient, path: string, fields: Record<string, string>): Promise<Row> {
  const { status, body } = await client.get(`${ANALYTICS}/${path}?${new URLSearchParams(fields).toString()}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

const daysOf = ([startDate, endDate]: NaiveRange) => ({ startDate, endDate });
const moneyOf = (naive: NaiveQuestions, range: NaiveRange, filters?: NaiveFilters) => {
  const { unpricedTokens, unpricedModels } = naive.money(range, filters);
  return { unpriced_tokens: unpricedTokens, unpriced_models: unpricedModels, currency: 'USD', estimated: true };
};

export async function expectSummary(
  client: ApiClient,
  naive: NaiveQuestions,
  range: NaiveRange,
  compare: NaiveComparison,
): Promise<void> {
  const { data, meta } = await ask(client, 'summary', { ...daysOf(range), compare });
  const compared = comparedWith(range, compare);
  const each = (of: (metric: string) => unknown) =>
    Object.fromEntries(NAIVE_METRICS.map((metric) => [metric, of(metric)]));
  const now = (metric: string) => naive.value(metric, range);
  const before = (metric: string) => (compared ? naive.value(metric, compared) : null);
  expect(data.current).toEqual({ ...each((metric) => shown(metric, now(metric))), reported_cost: null });
  expect(data.previous).toEqual(
    compared && { ...each((metric) => shown(metric, before(metric))), reported_cost: null },
  );
  expect(data.change).toEqual(
    compared && { ...each((metric) => change(now(metric), before(metric))), reported_cost: null },
  );
  expect(meta).toMatchObject({
    start_date: range[0],
    end_date: range[1],
    compare_start_date: compared?.[0] ?? null,
    compare_end_date: compared?.[1] ?? null,
    ...moneyOf(naive, range),
  });
  expect(meta.reasons.includes('list_price')).toBe(naive.money(range).isPriced);
}

/** The first page with everything, and the rows of all pages. */
export async function expectBreakdown(client: ApiClient, naive: NaiveQuestions, asked: BreakdownCase): Promise<void> {
  await expectPages(client, naive, asked, await firstPage(client, asked));
}

export function firstPage(client: ApiClient, asked: BreakdownCase): Promise<Row> {
  return ask(client, 'breakdown', questionOf(asked));
}

function questionOf({ dimension, metric, range, compare, filters, limit, search }: BreakdownCase) {
  const more = { ...filters, ...(search === undefined ? {} : { search }) };
  return { ...daysOf(range), dimension, metric, compare, limit: String(limit), ...more };
}

/** What has begun with `first` is what the events gave then. */
export async function expectPages(
  client: ApiClient,
  naive: NaiveQuestions,
  asked: BreakdownCase,
  first: Row,
): Promise<void> {
  const { dimension, metric, range, compare, filters = {}, limit, search = '', labels } = asked;
  const now = naive.rows(dimension, metric, range, filters);
  const compared = comparedWith(range, compare);
  const before = compared && naive.rows(dimension, metric, compared, filters);
  const found = now.rows.filter(({ key }) => key.toLowerCase().includes(search.toLowerCase()));
  const named = found.slice(0, limit);
  const keys = named.map(({ key }) => key);
  const row = (figure: (typeof now)['total'], previous: (typeof now)['total'] | null | undefined) =>
    shownRow(metric, figure, before ? (previous ?? null) : undefined, now.total.value);
  const labelOf = (key: string) =>
    dimension === 'server' ? naive.spelling(key, range) : (labels?.get(key) ?? (labels ? key : expect.any(String)));
  expect(first.data).toEqual(
    named.map((figure) => ({
      key: figure.key,
      label: dimension === 'hook' ? expect.any(String) : labelOf(figure.key),
      ...row(
        figure,
        before?.rows.find(({ key }) => key === figure.key),
      ),
    })),
  );
  expect(first.total).toEqual({ label: 'Total', ...row(now.total, before?.total) });
  expect(first.other).toEqual({ label: 'Other', ...row(now.without(keys), before?.without(keys)) });
  if (metric === 'cost') expect(first.meta).toMatchObject(moneyOf(naive, range, filters));
  const seen: Row[] = [...first.data];
  for (let page = first; page.meta.has_more;) {
    page = await ask(client, 'breakdown', { ...questionOf(asked), cursor: page.meta.next_cursor });
    expect(page.data.every((each: object) => !('series' in each))).toBe(true);
    seen.push(...page.data);
  }
  expect(seen.map(({ key, value }) => [key, value])).toEqual(
    found.map(({ key, value }) => [key, shown(metric, value)]),
  );
}
