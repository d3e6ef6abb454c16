import type { ApiAnswer, ApiClient } from './api-client.js';
import type { GivenUser } from './given.js';
import { ANALYTICS } from './given-usage.js';
import { byCodePoint } from './naive-math.js';
import { NAIVE_METRICS, type NaiveQuestions, type NaiveRange } from './naive-questions.js';
import { shown } from './naive-shown.js';
import { daysBetween } from './reported-events.js';

type Row = ApiAnswer['body'];

const PERSONAL = NAIVE_METRICS.filter((metric) => metric !== 'active_people');
const OF_MODELS = [
  ...['billable_tokens', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
  ...['model_calls', 'cost'],
];
const TOP_PEOPLE = 10;
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Fields in the style of the other API. */
function snaked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snaked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [snake(name), snaked(field)]));
}

const figures = (naive: NaiveQuestions, metrics: string[], range: NaiveRange) => ({
  ...Object.fromEntries(metrics.map((metric) => [metric, shown(metric, naive.value(metric, range))])),
  reported_cost: null,
});

/** Rows by billable tokens, then by key. */
function ordered(naive: NaiveQuestions, dimension: string, range: NaiveRange): string[] {
  const size = new Map(
    naive.rows(dimension, 'billable_tokens', range).rows.map(({ key, value }) => [key, value ?? 0n]),
  );
  const keys = naive.rows(dimension, dimension === 'user' ? 'sessions' : 'cost', range).rows.map(({ key }) => key);
  const compare = (a: bigint, b: bigint) => Number(b > a) - Number(a > b);
  return keys.sort((a, b) => compare(size.get(a) ?? 0n, size.get(b) ?? 0n) || byCodePoint(a, b));
}

function models(naive: NaiveQuestions, range: NaiveRange, metrics = OF_MODELS) {
  return ordered(naive, 'model', range).map((model_id) => ({
    model_id,
    ...figures(
      naive.of((event) => event.names.model === model_id),
      metrics,
      range,
    ),
  }));
}

function personOf(all: NaiveQuestions, userId: string, range: NaiveRange) {
  const naive = all.of((event) => event.userId === userId);
  const inRange = naive.events.filter(({ day }) => day >= range[0] && day <= range[1]);
  const activeDays = new Set(inRange.map(({ day }) => day)).size;
  return {
    totals: { ...figures(naive, PERSONAL, range), active_days: activeDays },
    days: daysBetween(...range).map((date) => ({ date, ...figures(naive, PERSONAL, [date, date]) })),
    models: models(naive, range),
    tools: naive.rows('tool', 'count', range).rows.map(({ key, value }) => ({ tool: key, count: Number(value) })),
    money: naive.money(range),
  };
}

export async function expectPerson(
  client: ApiClient,
  naive: NaiveQuestions,
  { id, email }: { id: string; email: string | null },
  range: NaiveRange,
): Promise<void> {
  const { status, body } = await client.get(`${ANALYTICS}/people/${id}?startDate=${range[0]}&endDate=${range[1]}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  const { money, ...person } = personOf(naive, id, range);
  expect(body.data).toEqual({ user_id: id, user_email: email, ...person });
  expectMoney(body.meta, money);
}

/** `today`: the day that is not final, if it is among the days. */
export async function expectOwnUsage(
  client: ApiClient,
  naive: NaiveQuestions,
  user: GivenUser,
  range: NaiveRange,
  today: string,
): Promise<void> {
  const { status, body } = await client.get(`/api/v0/me/usage?startDate=${range[0]}&endDate=${range[1]}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  const { money, ...person } = personOf(naive, user.id, range);
  const { totals, days, models: ofModels, tools } = snaked(body) as Row;
  expect({ totals, models: ofModels, tools }).toEqual({
    totals: person.totals,
    models: person.models,
    tools: person.tools,
  });
  expect(days).toEqual(person.days.map((day) => ({ ...day, final: day.date !== today })));
  expectMoney(snaked(body) as Row, money);
}

function expectMoney(meta: Row, { isPriced, unpricedTokens, unpricedModels }: ReturnType<NaiveQuestions['money']>) {
  expect(meta).toMatchObject({ unpriced_tokens: unpricedTokens, unpriced_models: unpricedModels, currency: 'USD' });
  expect(meta.reasons.includes('list_price')).toBe(isPriced);
}

export async function expectToday(
  client: ApiClient,
  naive: NaiveQuestions,
  emails: ReadonlyMap<string, string | null>,
  date: string,
): Promise<void> {
  const { status, body } = await client.get(`${ANALYTICS}/today`);
  expect([status, body.detail]).toEqual([200, undefined]);
  const range: NaiveRange = [date, date];
  const ofDay = naive.of((event) => event.day === date);
  const hourOf = (at: string) => new Date(at).getUTCHours();
  const hours = [...new Set(ofDay.events.map(({ at }) => hourOf(at)))].sort((a, b) => a - b);
  expect(body.data).toEqual({
    date,
    ...figures(ofDay, NAIVE_METRICS, range),
    by_hour: hours.map((hour) => ({
      hour,
      ...figures(
        ofDay.of(({ at }) => hourOf(at) === hour),
        NAIVE_METRICS,
        range,
      ),
    })),
    by_model: models(
      ofDay.of(({ type }) => type === 'model_call'),
      range,
      [...OF_MODELS, 'active_people'],
    ),
    top_people: ordered(ofDay, 'user', range)
      .slice(0, TOP_PEOPLE)
      .map((user_id) => ({
        user_id,
        user_email: emails.get(user_id) ?? null,
        ...figures(
          ofDay.of(({ userId }) => userId === user_id),
          PERSONAL,
          range,
        ),
      })),
  });
  expectMoney(body.meta, ofDay.money(range));
}
