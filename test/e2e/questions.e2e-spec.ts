import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenTeam } from '../support/given-questions.js';
import { ANALYTICS, modelCall, rawGet, report, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { DAY, keysOf, NOW, Questions, RANGE, tool } from '../support/questions.js';
import type { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;
let questions: Questions;

beforeAll(async () => {
  app = await startUsageApp({ clock });
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
  owner = org.owner;
  questions = new Questions(app, org.owner);
});
afterAll(() => app.stop());

describe('an organization without usage', () => {
  it('has a summary of zeros, and nothing to compare unless that is asked for', async () => {
    const { status, body } = await questions.ask('summary');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ current: { tool_calls: 0, active_people: 0, cost: '0.000000' } });
    expect(body.data).toMatchObject({ previous: null, change: null, current: { reported_cost: null } });
    expect(body.meta).toMatchObject({
      org_id: org.id,
      compare_start_date: null,
      data_as_of: null,
      unpriced_models: [],
    });
  });

  it('has a breakdown without rows', async () => {
    const { body } = await questions.breakdown('model', 'cost', { compare: 'year' });
    expect(body.data).toEqual([]);
    expect(body.total).toMatchObject({ value: '0.000000', share: null, previous_value: '0.000000', change: null });
    expect(body.total.series).toHaveLength(3);
    expect(body.meta).toMatchObject({ dimension: 'model', metric: 'cost', has_more: false, currency: 'USD' });
    expect(body.meta).not.toHaveProperty('next_cursor');
  });
});

describe('a comparison', () => {
  it.each([
    ['2026-05-04', '2026-05-31', 'previous', '2026-04-06', '2026-05-03'],
    ['2026-05-20', '2026-05-29', 'previous', '2026-05-06', '2026-05-15'],
    ['2026-05-31', '2026-05-31', 'previous', '2026-05-24', '2026-05-24'],
    ['2026-05-04', '2026-05-31', 'year', '2025-05-05', '2025-06-01'],
  ])('of %s to %s with %s is with %s to %s: weekdays align', async (startDate, endDate, compare, from, to) => {
    const { body } = await questions.ask('summary', { startDate, endDate, compare });
    expect([body.meta.compare_start_date, body.meta.compare_end_date]).toEqual([from, to]);
  });

  it('begins with the first day of data', async () => {
    const { body } = await questions.ask('summary', {
      startDate: '2026-01-20',
      endDate: '2026-01-26',
      compare: 'previous',
    });
    expect([body.meta.compare_start_date, body.meta.compare_end_date]).toEqual(['2026-01-14', '2026-01-19']);
  });
});

describe('a question that makes no sense', () => {
  it.each([
    [
      { dimension: 'tool', metric: 'cost' },
      'metric',
      'dimension tool has no cost; it has count, tool_calls, active_people',
    ],
    [{ dimension: 'user', metric: 'active_people' }, 'metric', 'billable_tokens'],
    [{ dimension: 'model', metric: 'sessions' }, 'metric', 'it has billable_tokens'],
    [{ dimension: 'colour', metric: 'cost' }, 'dimension', 'must be one of model, user, team'],
    [{ dimension: 'user', metric: 'everything' }, 'metric', 'must be one of billable_tokens'],
    [{ dimension: 'user', metric: 'sessions', model: 'sonnet' }, 'model', 'it can by user_id, team_id'],
    [{ dimension: 'tool', metric: 'count', client: 'web' }, 'client', 'it can by user_id, team_id'],
    [{ dimension: 'user', metric: 'cost', client: 'fax' }, 'client', 'must be one of terminal-ui'],
    [{ dimension: 'user', metric: 'cost', user_id: 'me' }, 'user_id', 'must be a UUID'],
    [{ dimension: 'user', metric: 'cost', team_id: 'mine' }, 'team_id', 'must be the id of a team, or (none)'],
    [{ dimension: 'user', metric: 'cost', compare: 'last' }, 'compare', 'must be one of previous, year, none'],
    [{ dimension: 'user', metric: 'cost', limit: '101' }, 'limit', 'from 1 to 100'],
    [{ dimension: 'user', metric: 'cost', cursor: 'x.y' }, 'cursor', 'is not a nextCursor'],
    [{ dimension: 'user', metric: 'cost', endDate: '2026-06-01' }, 'endDate', 'is today'],
    [{ dimension: 'user', metric: 'cost', startDate: '2025-01-01' }, 'endDate', 'at most 366 days'],
  ])('is a 400 that says what is allowed: %j', async (fields, field, message) => {
    const { status, body } = await questions.ask('breakdown', fields);
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ field, message: expect.stringContaining(message) }]);
  });

  it('is one with a parameter that does not exist', async () => {
    expect((await questions.ask('summary', { team: 'x' })).status).toBe(400);
    expect((await questions.ask('breakdown', { dimension: 'user' })).body.errors[0].field).toBe('metric');
  });
});

describe('other organizations', () => {
  it('are not seen, neither their people nor their teams', async () => {
    const other = await app.given.organization();
    const team = randomUUID();
    await givenTeam(app.database.url, other, team, 'Theirs');
    await report(app.as(other.owner), [modelCall(other.owner, DAY)]);
    await questions.givenUsage(modelCall(owner, DAY));
    expect(keysOf(await questions.breakdown('user', 'model_calls'))).toEqual([owner.id]);
    expect((await questions.breakdown('user', 'model_calls', { user_id: other.owner.id })).body.total.value).toBe(0);
    expect((await questions.breakdown('user', 'model_calls', { team_id: team })).body.total.value).toBe(0);
    const person = await questions.ask(`people/${other.owner.id}`);
    expect(person.status).toBe(404);
    expect((await questions.ask(`people/${randomUUID()}`)).body.detail).toMatch(/^There is no user/);
    expect((await questions.ask('people/nobody')).status).toBe(404);
  });
});

describe('formats', () => {
  it('are CSV and NDJSON as well, of rows that JSON has too', async () => {
    await questions.givenUsage(tool(owner, '=1+1'), tool(owner, 'Read'), modelCall(owner, DAY));
    const csv = await questions.ask('breakdown', { dimension: 'tool', metric: 'count' }, { Accept: 'text/csv' });
    expect(csv.text.split('\r\n')).toEqual([
      'key,label,value,share,previous_value,change',
      'Read,Read,1,0.5,,',
      'unknown,unknown,1,0.5,,',
      '',
    ]);
    const ndjson = await questions.ask(
      'breakdown',
      { dimension: 'tool', metric: 'count' },
      { Accept: 'application/x-ndjson' },
    );
    expect(
      ndjson.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).key),
    ).toEqual(['Read', 'unknown']);
    const summary = await questions.ask('summary', { compare: 'previous' }, { Accept: 'text/csv' });
    expect(summary.text.split('\r\n').map((line) => line.split(',')[0])).toEqual([
      'period',
      'current',
      'previous',
      'change',
      '',
    ]);
    const person = await questions.ask(`people/${owner.id}`, {}, { Accept: 'text/csv' });
    expect(person.text.split('\r\n').map((line) => line.split(',')[0])).toEqual([
      'date',
      '2026-05-19',
      '2026-05-20',
      '2026-05-21',
      '',
    ]);
  });

  it.each(['summary?', 'breakdown?dimension=model&metric=cost&', 'people/:id?'])(
    'keep their ETag until something changes: /%s',
    async (path) => {
      await questions.givenUsage(modelCall(owner, DAY, { modelId: 'priced' }));
      const url = `${ANALYTICS}/${path.replace(':id', owner.id)}startDate=${RANGE.startDate}&endDate=${RANGE.endDate}`;
      const first = await app.as(owner).get(url);
      const known = { 'If-None-Match': first.headers.etag ?? '' };
      expect(first.headers['cache-control']).toBe('private, no-cache');
      expect((await app.as(owner).get(url, known)).status).toBe(304);
      await questions.givenUsage(modelCall(owner, '2026-05-22', { modelId: 'priced' }));
      expect((await app.as(owner).get(url, known)).status).toBe(304);
      await questions.givenUsage(modelCall(owner, DAY, { modelId: 'priced' }));
      const late = await app.as(owner).get(url, known);
      expect(late.status).toBe(200);
      expect(late.body.meta.revision).not.toBe(first.body.meta.revision);
      const plain = await rawGet(app, owner, url, { 'Accept-Encoding': 'identity' });
      const zipped = await rawGet(app, owner, url, { 'Accept-Encoding': 'gzip' });
      expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
      expect(zipped.headers.etag).not.toBe(plain.headers.etag);
    },
  );

  it('keep whole numbers exact beyond 2^53', async () => {
    await questions.givenUsage(modelCall(owner, DAY, { modelId: 'unheard-of' }));
    await query(app.database.url, `UPDATE day_model_facts SET input = 9007199254740993 WHERE org_id = $1`, [org.id]);
    expect((await questions.ask('summary')).text).toContain('"input_tokens":9007199254740993,');
    expect((await questions.breakdown('model', 'input_tokens')).text).toContain('"value":9007199254740993,');
  });
});
