import { spawnSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import { AnalyticsRepository } from '../../src/modules/analytics/analytics.repository.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { aggregate, ANALYTICS, event, modelCall, rawGet, report, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { daysBetween, type ReportedEvent } from '../support/reported-events.js';
import type { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const NOW = '2026-03-01T08:00:00.000Z';
const RANGE = 'startDate=2026-02-01&endDate=2026-02-10';
const REPORTS = [
  'tokens',
  'tokens?group_by=model',
  'tools',
  'tools?group_by=tool_name',
  'activity',
  'activity?group_by=client',
];
const ALL = [...REPORTS, 'productivity', 'users', 'users?limit=1'];
const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;

beforeAll(async () => {
  app = await startUsageApp({ clock });
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
  owner = org.owner;
});
afterAll(() => app.stop());

const pathOf = (endpoint: string, range = RANGE) =>
  `${ANALYTICS}/${endpoint}${endpoint.includes('?') ? '&' : '?'}${range}`;
const get = (endpoint: string, headers: Record<string, string> = {}) => app.as(owner).get(pathOf(endpoint), headers);
const raw = (endpoint: string, headers: Record<string, string> = {}, method = 'GET') =>
  rawGet(app, owner, pathOf(endpoint), headers, method);

async function givenUsage(...events: ReportedEvent[]): Promise<void> {
  await report(app.as(owner), events);
  await aggregate(app);
}

/** Some of everything, on two days. */
async function givenVariety(): Promise<void> {
  const other = await app.given.user(org);
  await givenUsage(
    ...[owner, other].flatMap((user) => [
      modelCall(user, '2026-02-03', { modelId: '=1+1', sessionId: 's' }),
      modelCall(user, '2026-02-03', { modelId: 'größer, "β"' }),
      event(user, 'tool_call', '2026-02-03', { tool: 'Читать', sessionId: 's', client: 'web' }),
      event(user, 'user_message', '2026-02-05', { client: 'terminal-ui' }),
      event(user, 'file_edited', '2026-02-05', { extension: '.ts' }),
    ]),
  );
}

let known: GivenOrganization | undefined;

/** The same organization for all tests that only read. */
async function givenKnownVariety(): Promise<void> {
  if (!known) await givenVariety();
  org = known ??= org;
  owner = org.owner;
}

describe('a known answer', () => {
  it.each(ALL)('of /%s keeps its ETag until an event comes late', async (endpoint) => {
    await givenVariety();
    const first = await get(endpoint);
    expect(first.headers.etag).toMatch(/^"[\w-]+"$/);
    expect(first.headers['cache-control']).toBe('private, no-cache');
    await aggregate(app);
    const again = await get(endpoint);
    expect({ etag: again.headers.etag, text: again.text }).toEqual({ etag: first.headers.etag, text: first.text });
    await report(app.as(owner), [
      modelCall(owner, '2026-02-04'),
      event(owner, 'tool_call', '2026-02-04', { tool: 'x' }),
    ]);
    await aggregate(app);
    const late = await get(endpoint, { 'If-None-Match': first.headers.etag ?? '' });
    expect(late.status).toBe(200);
    expect(late.headers.etag).not.toBe(first.headers.etag);
  });

  it('of /activity changes with an event of 29 days before, and not with one of 30', async () => {
    await givenVariety();
    const range = 'startDate=2026-02-15&endDate=2026-02-15';
    const ask = () => app.as(owner).get(pathOf('activity', range));
    const first = await ask();
    await givenUsage(event(await app.given.user(org), 'git_commit', '2026-01-16'));
    expect((await ask()).headers.etag).toBe(first.headers.etag);
    await givenUsage(event(await app.given.user(org), 'git_commit', '2026-01-17'));
    const late = await ask();
    expect(late.headers.etag).not.toBe(first.headers.etag);
    expect(late.body.data[0].monthly_active_users).toBe(Number(first.body.data[0].monthly_active_users) + 1);
  });

  it('is not 304 once there are events of one of its days that was never computed', async () => {
    await givenVariety();
    const known = { 'If-None-Match': (await get('activity')).headers.etag ?? '' };
    expect((await get('activity', known)).status).toBe(304);
    await report(app.as(owner), [event(owner, 'user_message', '2026-02-04')]);
    const answer = await get('activity', known);
    expect({ status: answer.status, messages: answer.body.data[3].user_messages }).toEqual({
      status: 200,
      messages: 1,
    });
  });

  it('stays known when days pass, and the longer one is known from its first look on', async () => {
    await givenVariety();
    const first = await get('activity');
    clock.set('2026-03-02T08:00:00.000Z');
    const range = 'startDate=2026-02-01&endDate=2026-03-01';
    const longer = await app.as(owner).get(pathOf('activity', range));
    expect(longer.body.data.at(-1)).toMatchObject({ date: '2026-03-01', monthly_active_users: 2 });
    expect((await get('activity', { 'If-None-Match': first.headers.etag ?? '' })).status).toBe(304);
    const sameLonger = { 'If-None-Match': longer.headers.etag ?? '' };
    expect((await app.as(owner).get(pathOf('activity', range), sameLonger)).status).toBe(304);
  });

  it('has another ETag for every encoding, format, range, page and organization', async () => {
    await givenKnownVariety();
    const etags = [];
    for (const endpoint of ALL) {
      for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
        for (const encoding of ['gzip', 'identity']) {
          etags.push((await raw(endpoint, { Accept: accept, 'Accept-Encoding': encoding })).headers.etag);
        }
      }
    }
    etags.push((await rawGet(app, owner, pathOf('tokens', 'startDate=2026-02-01&endDate=2026-02-11'))).headers.etag);
    etags.push((await rawGet(app, (await app.given.organization()).owner, pathOf('tokens'))).headers.etag);
    expect(new Set(etags).size).toBe(ALL.length * 6 + 2);
  });

  it.each(ALL)('of /%s is 304 without a body to those who have it', async (endpoint) => {
    await givenKnownVariety();
    const { headers } = await raw(endpoint);
    for (const known of [headers.etag, `W/${headers.etag}`, `"x", ${headers.etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await raw(endpoint, { 'If-None-Match': String(known) }, method);
        expect({ known, status: answer.status, length: answer.bytes.length }).toEqual({
          known,
          status: 304,
          length: 0,
        });
        expect(answer.headers).toMatchObject({
          etag: headers.etag,
          'cache-control': 'private, no-cache',
          vary: headers.vary,
        });
        expect(answer.headers['content-encoding']).toBeUndefined();
      }
    }
    for (const unknown of ['"x"', 'x', '""', String(headers.etag).slice(1, -1)]) {
      expect((await raw(endpoint, { 'If-None-Match': unknown })).status).toBe(200);
    }
  });

  it('is not 304 for somebody who may not have it', async () => {
    await givenKnownVariety();
    const { headers } = await raw('tokens');
    const member = await app.given.user(org);
    const answer = await rawGet(app, member, pathOf('tokens'), { 'If-None-Match': String(headers.etag) });
    expect(answer.status).toBe(403);
  });

  it('was last modified when its newest day was computed', async () => {
    await givenUsage(modelCall(owner, '2026-02-03'));
    clock.set('2026-03-01T09:00:00.000Z');
    await givenUsage(modelCall(owner, '2026-02-05'));
    clock.set('2026-03-01T10:00:00.000Z');
    const lastModified = async (range: string) =>
      (await app.as(owner).get(pathOf('tokens', range))).headers['last-modified'];
    expect(await lastModified(RANGE)).toBe('Sun, 01 Mar 2026 09:00:00 GMT');
    expect(await lastModified('startDate=2026-02-01&endDate=2026-02-03')).toBe('Sun, 01 Mar 2026 08:00:00 GMT');
  });

  it('has no date of modification when nothing was ever computed', async () => {
    const { status, headers } = await get('tokens');
    expect({ status, lastModified: headers['last-modified'] }).toEqual({ status: 200, lastModified: undefined });
    expect(headers.etag).toBeDefined();
  });
});

describe('an answer that fails', () => {
  it('before it has begun is no answer to keep', async () => {
    await givenVariety();
    await query(app.database.url, `ALTER TABLE day_documents RENAME TO day_documents_away`);
    const answer = await raw('tokens');
    await query(app.database.url, `ALTER TABLE day_documents_away RENAME TO day_documents`);
    expect(answer.status).toBe(500);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(answer.headers.etag).toBeUndefined();
  });

  it.each(['gzip', 'identity'])('in its middle is cut off, as %s', async (encoding) => {
    await givenUsage(...daysBetween('2026-02-01', '2026-02-10').map((day) => modelCall(owner, day)));
    await query(app.database.url, `UPDATE day_documents SET stored_bytes = 2000000 WHERE org_id = $1`, [org.id]);
    const days = app.nest.get(AnalyticsRepository);
    const listDocuments = days.listDocuments.bind(days);
    let reads = 0;
    days.listDocuments = (...parameters) => (++reads === 5 ? Promise.resolve([]) : listDocuments(...parameters));
    const answer = raw('tokens', { 'Accept-Encoding': encoding });
    await expect(answer).rejects.toThrow(/aborted|hang up|reset/);
    days.listDocuments = listDocuments;
    expect(reads).toBe(5);
  });
});

describe('HEAD', () => {
  it.each(ALL)('of /%s has the headers of GET, and no body', async (endpoint) => {
    await givenKnownVariety();
    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
      for (const encoding of ['gzip', 'identity']) {
        const headers = { Accept: accept, 'Accept-Encoding': encoding };
        const [whole, head] = [await raw(endpoint, headers), await raw(endpoint, headers, 'HEAD')];
        const kept = [
          'etag',
          'last-modified',
          'content-type',
          'content-encoding',
          'cache-control',
          'vary',
          'content-length',
        ];
        const keptOf = ({ headers }: typeof head) => kept.map((name) => [name, headers[name]]);
        expect(keptOf(head)).toEqual(keptOf(whole));
        expect({ status: head.status, length: head.bytes.length }).toEqual({ status: 200, length: 0 });
      }
    }
  });

  it('has the status of GET when a parameter is wrong', async () => {
    expect((await raw('tokens?group_by=x', {}, 'HEAD')).status).toBe(400);
  });
});

describe('formats', () => {
  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/html, image/png;q=0.5', 'application/json'],
    ['text/csv', 'text/csv'],
    ['text/csv;q=0.2, application/json;q=0.1', 'text/csv'],
    ['text/csv;q=0.2, application/x-ndjson;q=0.9, */*;q=0.1', 'application/x-ndjson'],
    ['text/*', 'text/csv'],
    ['application/json;q=0, */*;q=0.1', 'text/csv'],
  ])('for Accept: %s is %s', async (accept, type) => {
    const { headers } = await raw('activity', accept === undefined ? {} : { Accept: accept });
    expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
    expect(headers.vary).toMatch(/Accept, Accept-Encoding/);
  });

  it.each([
    [undefined, undefined],
    ['gzip', 'gzip'],
    ['gzip;q=0.5, identity', undefined],
    ['gzip;q=0', undefined],
    ['br, deflate', undefined],
    ['*', 'gzip'],
    ['br;q=1, gzip;q=0.1', 'gzip'],
  ])('for Accept-Encoding: %s are encoded as %s', async (accepted, encoding) => {
    const { headers } = await raw('tokens', accepted === undefined ? {} : { 'Accept-Encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
  });

  it.each(ALL)('of /%s hold the same rows', async (endpoint) => {
    await givenKnownVariety();
    const json = await get(endpoint);
    const ndjson = await get(endpoint, { Accept: 'application/x-ndjson' });
    expect(ndjson.text.endsWith('\n')).toBe(true);
    expect(
      ndjson.text
        .split('\n')
        .slice(0, -1)
        .map((line): unknown => JSON.parse(line)),
    ).toEqual(json.body.data);
    const csv = await get(endpoint, { Accept: 'text/csv' });
    const lines = csv.text.split('\r\n');
    expect(lines).toHaveLength(Number(json.body.data.length) + 2);
    expect(lines.at(-1)).toBe('');
    const scalars = Object.entries(json.body.data[0] as object).filter(([, value]) => typeof value !== 'object');
    expect(lines[0]?.split(',')).toEqual(expect.arrayContaining(scalars.map(([name]) => name)));
    expect(lines[1]?.split(',').length).toBe(lines[0]?.split(',').length);
  });

  it.each(ALL)('of /%s are empty without rows, but for the names of CSV', async (endpoint) => {
    const before = 'startDate=2025-12-01&endDate=2025-12-31';
    for (const encoding of ['gzip', 'identity']) {
      const ask = (accept: string) => {
        return app.as(owner).get(pathOf(endpoint, before), { Accept: accept, 'Accept-Encoding': encoding });
      };
      expect((await ask('application/json')).body.data).toEqual([]);
      expect((await ask('application/x-ndjson')).text).toBe('');
      expect((await ask('text/csv')).text).toMatch(/^[a-z0-9_,.-]+\r\n$/);
    }
  });

  it('CSV quotes, and runs no formula', async () => {
    await givenKnownVariety();
    const { text } = await get('tokens?group_by=model', { Accept: 'text/csv' });
    expect(text.split('\r\n')).toEqual([
      'date,group_key,billable_tokens,input_tokens,output_tokens',
      "2026-02-03,'=1+1,220,200,20",
      '2026-02-03,"größer, ""β""",220,200,20',
      '',
    ]);
  });

  it('CSV names what is nested, and leaves lists to group_by', async () => {
    await givenUsage(event(owner, 'user_message', '2026-02-01', { client: 'web' }));
    const { text } = await get('activity', { Accept: 'text/csv' });
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'date,daily_active_users,weekly_active_users,monthly_active_users,daily_active_users_by_client.terminal-ui,' +
        'daily_active_users_by_client.web,daily_active_users_by_client.non-interactive-cli,sessions,messages,user_messages',
      '2026-02-01,1,1,1,0,1,0,0,1,1',
    ]);
  });
});

describe('gzip', () => {
  /** Which days of the range have model calls; the others are empty. */
  it.each([
    ['everywhere', daysBetween('2026-02-01', '2026-02-10')],
    ['in the middle', ['2026-02-05', '2026-02-06']],
    ['at both ends', ['2026-02-01', '2026-02-10']],
    ['nowhere', []],
  ])('is one file that holds the plain answer, with usage %s', async (_, days) => {
    const call = (day: string) => modelCall(owner, day, { modelId: '模型 \u{1f600} größer' });
    await givenUsage(...days.map(call), event(owner, 'git_commit', '2026-02-02'));
    for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
      for (const endpoint of ['tokens', 'tools', 'users']) {
        const packed = await raw(endpoint, { Accept: accept, 'Accept-Encoding': 'gzip' });
        const plain = await raw(endpoint, { Accept: accept, 'Accept-Encoding': 'identity' });
        expect(packed.headers['content-encoding']).toBe('gzip');
        expect(gunzipSync(packed.bytes).toString()).toBe(plain.bytes.toString());
        const { status, stdout } = spawnSync('gzip', ['-dc'], { input: packed.bytes });
        expect({ status, isSame: stdout.equals(plain.bytes) }).toEqual({ status: 0, isSame: true });
      }
    }
  });

  it('holds rows that were larger than what is read at once', async () => {
    await givenUsage(...daysBetween('2026-02-01', '2026-02-10').map((day) => modelCall(owner, day)));
    const before = await raw('tokens', { 'Accept-Encoding': 'identity' });
    // As if each day took most of a window.
    await query(app.database.url, `UPDATE day_documents SET stored_bytes = 700000 WHERE org_id = $1`, [org.id]);
    const [plain, packed] = [
      await raw('tokens', { 'Accept-Encoding': 'identity' }),
      await raw('tokens', { 'Accept-Encoding': 'gzip' }),
    ];
    expect(plain.bytes.equals(before.bytes)).toBe(true);
    expect(gunzipSync(packed.bytes).equals(before.bytes)).toBe(true);
  });
});
