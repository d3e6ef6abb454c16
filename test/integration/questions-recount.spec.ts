import { randomUUID } from 'node:crypto';
import { DIMENSIONS } from '../../src/modules/analytics/questions/metrics.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenMembers, givenPrices, givenTeam, variedEvents } from '../support/given-questions.js';
import { aggregate, ANALYTICS, report, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { type NaiveFigure, type NaiveFilters, NaiveQuestions } from '../support/naive-questions.js';
import { daysBetween } from '../support/reported-events.js';
import type { TestApp } from '../support/test-app.js';

const RANGE: [string, string] = ['2026-02-10', '2026-02-15'];
const PREVIOUS: [string, string] = ['2026-02-03', '2026-02-08'];
const PAIRS = Object.entries(DIMENSIONS).flatMap(([dimension, { metrics }]) =>
  metrics.map((metric) => [dimension, metric] as const),
);
const METRICS = [
  ...[
    'billable_tokens',
    'input_tokens',
    'output_tokens',
    'cache_read_tokens',
    'cache_write_tokens',
    'cost',
    'model_calls',
  ],
  ...['active_people', 'sessions', 'messages', 'user_messages', 'tool_calls', 'files_created', 'files_edited'],
  ...['git_commits', 'git_prs_created'],
];
const TEAMS = [randomUUID(), randomUUID()].sort();
let app: TestApp;
let org: GivenOrganization;
let users: GivenUser[];
let naive: NaiveQuestions;

beforeAll(async () => {
  app = await startUsageApp({ clock: new ManualClock('2026-03-01T08:00:00.000Z') });
  org = await app.given.organization();
  users = [org.owner, await app.given.user(org), await app.given.user(org), await app.given.user(org)];
  const events = variedEvents(users, daysBetween(PREVIOUS[0], RANGE[1]));
  const [first = '', second = ''] = TEAMS;
  const members = [
    { userId: users[0]?.id ?? '', teamId: first, from: '2026-01-01', to: '2026-02-11' },
    { userId: users[0]?.id ?? '', teamId: second, from: '2026-02-13', to: null },
    { userId: users[1]?.id ?? '', teamId: second, from: '2026-02-05', to: null },
  ];
  await givenTeam(app.database.url, org, first, 'Platform');
  await givenTeam(app.database.url, org, second, 'Apps');
  await givenMembers(app.database.url, org, members);
  const prices = await givenPrices(app.database.url, org.id, '2026-02-13');
  await report(app.as(org.owner), events);
  await aggregate(app);
  naive = new NaiveQuestions(events, members, prices);
});
afterAll(() => app.stop());

const ask = (path: string, fields: Record<string, string>) =>
  app.as(org.owner).get(`${ANALYTICS}/${path}?${new URLSearchParams(fields).toString()}`);
const days = { startDate: RANGE[0], endDate: RANGE[1] };

/** Rounded half to even. */
function dollars(picoDollars: bigint): string {
  const [whole, rest] = [picoDollars / 1_000_000n, picoDollars % 1_000_000n];
  const isUp = rest > 500_000n || (rest === 500_000n && whole % 2n === 1n);
  const digits = String(whole + (isUp ? 1n : 0n)).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

function shown(metric: string, value: bigint | null): unknown {
  if (value === null) return null;
  return metric === 'cost' ? dollars(value) : Number(value);
}

const ratio = (value: bigint | null, base: bigint | null, of: bigint | null) =>
  value === null || of === null || base === null || base === 0n ? null : Number(of) / Number(base);
const minus = (a: bigint | null, b: bigint | null) => (a === null || b === null ? null : a - b);

function expected(metric: string, now: NaiveFigure, before: NaiveFigure | undefined, total: bigint | null) {
  const previous = before ? before.value : 0n;
  return {
    value: shown(metric, now.value),
    share: ratio(now.value, total, now.value),
    previous_value: shown(metric, previous),
    change: ratio(now.value, previous, minus(now.value, previous)),
    series: [...now.series].map(([date, value]) => ({ date, value: shown(metric, value) })),
  };
}

/** The first page, and the keys of all pages. */
async function expectRecount(dimension: string, metric: string, filters: NaiveFilters = {}): Promise<void> {
  const now = naive.rows(dimension, metric, RANGE, filters);
  const before = naive.rows(dimension, metric, PREVIOUS, filters);
  const question = { ...days, dimension, metric, compare: 'previous', limit: '2', ...filters };
  const first = await ask('breakdown', question);
  expect(first.status).toBe(200);
  const named = now.rows.slice(0, 2);
  const beforeOf = (key: string) => before.rows.find((row) => row.key === key);
  expect(first.body.data).toEqual(
    named.map((row) => ({
      key: row.key,
      label: expect.any(String),
      ...expected(metric, row, beforeOf(row.key), now.total.value),
    })),
  );
  const keys = named.map(({ key }) => key);
  expect(first.body.total).toEqual({ label: 'Total', ...expected(metric, now.total, before.total, now.total.value) });
  expect(first.body.other).toEqual({
    label: 'Other',
    ...expected(metric, now.without(keys), before.without(keys), now.total.value),
  });
  const seen = first.body.data.map(({ key, value }: { key: string; value: unknown }) => [key, value]);
  for (let page = first; page.body.meta.has_more;) {
    page = await ask('breakdown', { ...question, cursor: page.body.meta.next_cursor });
    expect(page.body.data.every((row: object) => !('series' in row))).toBe(true);
    seen.push(...page.body.data.map(({ key, value }: { key: string; value: unknown }) => [key, value]));
  }
  expect(seen).toEqual(now.rows.map(({ key, value }) => [key, shown(metric, value)]));
}

describe('a recount of the same events gives', () => {
  it.each(PAIRS)('every row of %s by %s, page by page', async (dimension, metric) => {
    await expectRecount(dimension, metric);
  });

  it.each([
    ['model', 'cost'],
    ['user', 'cost'],
    ['team', 'tool_calls'],
    ['tool', 'count'],
    ['server', 'active_people'],
    ['client', 'active_people'],
  ])('the same of one user: %s by %s', async (dimension, metric) => {
    await expectRecount(dimension, metric, { user_id: users[1]?.id });
  });

  it.each([
    ['model', 'cost'],
    ['user', 'sessions'],
    ['team', 'active_people'],
    ['language', 'count'],
  ])('the same of a team, and of nobody’s: %s by %s', async (dimension, metric) => {
    await expectRecount(dimension, metric, { team_id: TEAMS[1] });
    await expectRecount(dimension, metric, { team_id: '(none)' });
  });

  it('the same of a client and of a model', async () => {
    await expectRecount('user', 'cost', { client: 'web', model: 'tiered' });
    await expectRecount('team', 'input_tokens', { client: 'terminal-ui' });
    await expectRecount('model', 'active_people', { client: 'web' });
    await expectRecount('client', 'billable_tokens', { model: 'changing' });
  });

  it('every metric of the summary, and its change', async () => {
    const { body } = await ask('summary', { ...days, compare: 'previous' });
    for (const metric of METRICS) {
      const [now, before] = [
        naive.rows('user', metric, RANGE).total.value,
        naive.rows('user', metric, PREVIOUS).total.value,
      ];
      expect({ metric, value: body.data.current[metric], before: body.data.previous[metric] }).toEqual({
        metric,
        value: shown(metric, now),
        before: shown(metric, before),
      });
      expect(body.data.change[metric]).toEqual(ratio(now, before, minus(now, before)));
    }
    expect(body.data.current.reported_cost).toBeNull();
    const unpriced = naive.rows('model', 'input_tokens', RANGE, { model: 'unknown-model' }).total.value ?? 0n;
    const output = naive.rows('model', 'output_tokens', RANGE, { model: 'unknown-model' }).total.value ?? 0n;
    expect(body.meta).toMatchObject({
      currency: 'USD',
      estimated: true,
      reasons: ['list_price'],
      unpriced_tokens: Number(unpriced + output),
      unpriced_models: ['unknown-model'],
    });
  });

  it('every day, model and tool of a person, also to themselves', async () => {
    const user = users[2] as GivenUser;
    const { body } = await ask(`people/${user.id}`, days);
    const own = await app.as(user).get(`/api/v0/me/usage?startDate=${RANGE[0]}&endDate=${RANGE[1]}`);
    const filters = { user_id: user.id };
    for (const metric of METRICS.filter((name) => name !== 'active_people')) {
      const { total } = naive.rows('user', metric, RANGE, filters);
      const camel = metric.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      const wanted = [...total.series.values()].map((value) => shown(metric, value));
      expect([metric, body.data.totals[metric]]).toEqual([metric, shown(metric, total.value)]);
      expect([metric, ...body.data.days.map((row: never) => row[metric])]).toEqual([metric, ...wanted]);
      expect([metric, own.body.totals[camel]]).toEqual([metric, shown(metric, total.value)]);
      expect([metric, ...own.body.days.map((row: never) => row[camel])]).toEqual([metric, ...wanted]);
    }
    expect(
      body.data.models.map(({ model_id, cost }: { model_id: string; cost: string }) => [model_id, cost]).sort(),
    ).toEqual(
      naive
        .rows('model', 'cost', RANGE, filters)
        .rows.map(({ key, value }) => [key, shown('cost', value)])
        .sort(),
    );
    expect(body.data.tools.map(({ tool, count }: { tool: string; count: number }) => [tool, count])).toEqual(
      naive.rows('tool', 'count', RANGE, filters).rows.map(({ key, value }) => [key, Number(value)]),
    );
  });
});
