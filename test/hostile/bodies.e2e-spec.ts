import pg from 'pg';
import type { ApiAnswer } from '../support/api-client.js';
import type { GivenUser } from '../support/given.js';
import { everyNth } from '../support/long.js';
import { ManualClock } from '../support/manual-clock.js';
import { exampleOf, fillPath, type Operation, OPERATIONS, resolved } from '../support/operations.js';
import { RawConnection, requestBytes, sendRaw } from '../support/raw-http.js';
import { stopAggregation } from '../support/stop-aggregation.js';
import { TestApp } from '../support/test-app.js';

const MEBIBYTE = 1024 * 1024;
/** Messages may carry attachments; usage events and members of a team come in thousands. */
const LIMITS: [RegExp, number][] = [
  [/\/messages$/, 32],
  [/\/ingest\//, 5],
  [/\/teams\/.*\/members$/, 4],
];
const limitOf = ({ path }: Operation) => (LIMITS.find(([pattern]) => pattern.test(path))?.[1] ?? 1) * MEBIBYTE;
const isIngest = (path: string) => path.includes('/ingest/');
const JSON_TYPE = 'application/json';
/** OTLP is not ours: what is unknown or odd in it is ignored, as its specification says; `telemetry.e2e-spec.ts` has that. */
const isOtlp = (path: string) => path.startsWith('/api/otlp/');
const WITH_BODY = OPERATIONS.filter((operation) => operation.body !== null && !isOtlp(operation.path));
const routes = WITH_BODY.map((operation, turn): [string, Operation, number] => {
  return [`${operation.method} ${operation.path}`, operation, turn];
});

/** What to do with a body that is fine. `field` takes any text, so that nothing else is wrong with what is put there. */
/** Its body is valid with a credential that nobody has. */
const SIGN_IN = '/auth/session';

type Spoil = (valid: string, field: string, limit: number) => string | Uint8Array;
const add =
  (member: string): Spoil =>
  (valid) =>
    valid === '{}' ? `{${member}}` : `${valid.slice(0, -1)},${member}}`;
const put =
  (json: string): Spoil =>
  (valid, field) =>
    add(`"${field}":${json}`)(JSON.stringify({ ...(JSON.parse(valid) as object), [field]: undefined }), field, 0);
const instead =
  (body: string | Uint8Array): Spoil =>
  () =>
    body;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const HOSTILE_BODIES: [name: string, spoil: Spoil, status: number][] = [
  ['a NUL character', put('"a\\u0000b"'), 400],
  ['a NUL character in a key', add('"a\\u0000b":1'), 400],
  ['a raw NUL', put('"a\0b"'), 400],
  ['a lone high surrogate', put('"\\ud83d"'), 400],
  ['a lone low surrogate', put('"\\ude00"'), 400],
  ['a lone surrogate in a key', add('"\\ud800":1'), 400],
  [
    'bytes that are not UTF-8',
    (valid, field) => Buffer.from(put('"a\xffb"')(valid, field, 0) as string, 'latin1'),
    400,
  ],
  ['a byte order mark', (valid) => `\ufeff${valid}`, 400],
  ['UTF-16', (valid) => Buffer.from(valid, 'utf16le'), 400],
  ['UTF-16 with a byte order mark', (valid) => Buffer.from(`\ufeff${valid}`, 'utf16le'), 400],
  ['a repeated key', (valid, field) => add(`"${field}":"a"`)(put('"a"')(valid, field, 0) as string, field, 0), 400],
  ['a __proto__ key', add('"__proto__":{"polluted":true}'), 400],
  ['a nested __proto__ key', add('"extra":{"__proto__":{"polluted":true}}'), 400],
  ['a constructor key', add('"constructor":{"prototype":{"polluted":true}}'), 400],
  ['an integer that is not exact', add('"extra":9007199254740993'), 400],
  ['a number beyond all', add('"extra":1e400'), 400],
  ['an array', (valid) => `[${valid}]`, 400],
  ['null', instead('null'), 400],
  ['true', instead('true'), 400],
  ['a string', (valid) => JSON.stringify(valid), 400],
  ['a number', instead('5'), 400],
  ['nothing', instead(''), 400],
  ['white space', instead('  \r\n'), 400],
  ['a truncated object', (valid) => `${valid.slice(0, -1)},"x`, 400],
  ['two objects', (valid) => valid + valid, 400],
  ['single quotes', instead("{'a':1}"), 400],
  ['an unknown field', add('"extra":1'), 400],
  ['an unknown field with an empty name', add('"":1'), 400],
  ...Object.getOwnPropertyNames(Object.prototype)
    .filter((name) => name !== '__proto__' && name !== 'constructor')
    .map((name): [string, Spoil, number] => [`the unknown field ${name}`, add(`"${name}":"polluted"`), 400]),
];

const LARGE_BODIES: typeof HOSTILE_BODIES = [
  ['an array 40 000 levels deep', instead(nested(40_000)), 400],
  ['an array 100 000 levels deep', instead(nested(100_000)), 400],
  ['a field 40 000 levels deep', add(`"extra":${nested(40_000)}`), 400],
  ['one byte more than the limit', (valid, _, limit) => valid.padEnd(limit + 1), 413],
  ['a million keys', instead(`{${Array.from({ length: 1_000_000 }, (_, i) => `"k${i}":1`).join(',')}}`), 413],
  ['a million elements', instead(`[${'1,'.repeat(999_999)}1]`), 413],
  ['200 000 elements', instead(`[${'1,'.repeat(199_999)}1]`), 400],
  ['80 000 keys', instead(`{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join(',')}}`), 400],
];

const HOSTILE_HEADERS: [name: string, headers: Record<string, string>, status: number][] = [
  ['no content type', {}, 415],
  ['an empty content type', { 'Content-Type': '' }, 415],
  ['plain text', { 'Content-Type': 'text/plain' }, 415],
  ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
  ['a multipart form', { 'Content-Type': 'multipart/form-data; boundary=x' }, 415],
  ['XML', { 'Content-Type': 'application/xml' }, 415],
  ['a type that begins like JSON', { 'Content-Type': 'application/json5' }, 415],
  ['a list of types', { 'Content-Type': 'application/json, text/plain' }, 415],
  ['garbage for a content type', { 'Content-Type': ';;;=' }, 415],
  ['UTF-7', { 'Content-Type': 'application/json; charset=utf-7' }, 415],
  ['UTF-16', { 'Content-Type': 'application/json; charset=UTF-16LE' }, 415],
  ['Latin-1', { 'Content-Type': 'application/json; a=b; charset="iso-8859-1"' }, 415],
  ['gzip', { 'Content-Type': JSON_TYPE, 'Content-Encoding': 'gzip' }, 415],
  ['stacked encodings', { 'Content-Type': JSON_TYPE, 'Content-Encoding': 'gzip, gzip, gzip' }, 415],
  ['identity and gzip', { 'Content-Type': JSON_TYPE, 'Content-Encoding': 'identity, br' }, 415],
];

describe('hostile bodies', () => {
  let app: TestApp;
  let owner: GivenUser;
  let pathValues: Record<string, string>;
  let database: pg.Client;

  beforeAll(async () => {
    // Standing still, so that not even the hour of the last use changes in a row.
    app = await TestApp.start({
      clock: new ManualClock('2026-11-15T08:30:00.000Z'),
      env: { RATE_LIMIT_PER_MINUTE: '100000' },
    });
    await stopAggregation(app);
    const org = await app.given.organization();
    owner = org.owner;
    pathValues = { userId: (await app.given.user(org)).id };
    database = new pg.Client({ connectionString: app.database.url });
    await database.connect();
    await app.as(owner).get('/api/v0/me');
  });
  afterAll(async () => {
    await database.end();
    await app.stop();
  });

  const send = ({ method, path }: Operation, body: string | Uint8Array, headers: Record<string, string>) =>
    sendRaw(app.url, {
      method,
      path: fillPath(path, pathValues),
      // Signing in asks where a request comes from.
      headers: { Authorization: `Bearer ${owner.key}`, 'Sec-Fetch-Site': 'same-origin', ...headers },
      body,
    });

  /** What was refused since the last look at the tables. */
  let refused: { test: string; exchange: () => Promise<ApiAnswer> }[] = [];

  /** Fails unless the answer is this problem; that every row is as it was is checked once for each route. */
  async function expectRefusal(exchange: () => Promise<ApiAnswer>, status: number): Promise<ApiAnswer> {
    refused.push({ test: expect.getState().currentTestName ?? '', exchange });
    const answer = await exchange();
    expect(answer).toMatchObject({ status, body: { status, requestId: answer.headers['x-request-id'] } });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    return answer;
  }

  /** Sends them once more, one by one, to name those that change a row. */
  async function changers(): Promise<string[]> {
    const names: string[] = [];
    for (const { test, exchange } of refused) {
      const before = JSON.stringify(await fingerprint(database));
      await exchange();
      if (JSON.stringify(await fingerprint(database)) !== before) names.push(test);
    }
    return names;
  }

  it('there are routes that take a body', () => {
    expect(routes.length).toBeGreaterThan(2);
  });

  describe.each(routes)('%s', (_, operation, turn) => {
    const valid = validBody(operation);
    const limit = limitOf(operation);
    let before: Record<string, string>;

    beforeAll(async () => {
      refused = [];
      before = await fingerprint(database);
    });

    it.each([...everyNth(5, HOSTILE_BODIES, turn), ...everyNth(12, LARGE_BODIES, turn)])(
      'refuses %s',
      async (__, spoil, status) => {
        const body = spoil(valid, freeTextField(operation), limit);
        const answer = await expectRefusal(
          () => send(operation, body, { 'Content-Type': JSON_TYPE }),
          status === 413 && body.length <= limit ? 400 : status,
        );

        expect(answer.text.length).toBeLessThan(100_000);
      },
    );

    it.each(everyNth(3, HOSTILE_HEADERS, turn))('refuses %s', async (name, headers, status) => {
      // Usage events may be zipped, but these are not.
      const refusal = name === 'gzip' && isIngest(operation.path) ? 400 : status;
      await expectRefusal(() => send(operation, valid, headers), refusal);
    });

    it('refuses a chunked body that grows over the limit', async () => {
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
      const headers = { 'Content-Type': JSON_TYPE, 'Transfer-Encoding': 'chunked' };

      await expectRefusal(() => send(operation, `${chunk.repeat(limit / 0x10000 + 1)}0\r\n\r\n`, headers), 413);
    });

    it('reads no further than a content length that is too short', async () => {
      const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': `${Math.max(1, valid.length - 3)}` };

      await expectRefusal(() => send(operation, valid.padStart(4), headers), 400);
    });

    it('refuses two lengths that contradict each other', async () => {
      const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': '5', 'content-length': '500' };

      await expectRefusal(() => send(operation, valid, headers), 400);
    });

    it('refuses a length beside a chunked body', async () => {
      const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': '5', 'Transfer-Encoding': 'chunked' };

      await expectRefusal(() => send(operation, '5\r\n{"a":\r\n0\r\n\r\n', headers), 400);
    });

    const fields = Object.keys(resolved(operation.body ?? {}).properties ?? {});
    const wrong = fields.flatMap((field) =>
      wrongValues(operation, field).map((value): [string, unknown] => [field, value]),
    );
    it.each(wrong)('refuses %s: %j', async (field, value) => {
      const body = JSON.stringify({ ...(JSON.parse(valid) as object), [field]: value });

      const { body: problem } = await expectRefusal(() => send(operation, body, { 'Content-Type': JSON_TYPE }), 400);

      const named = (problem as { errors: { field: string }[] }).errors.map((error) => error.field);
      expect(named).toContainEqual(expect.stringMatching(new RegExp(`^${field}\\b`)));
    });

    it('changes no row for any of them', async () => {
      expect(refused.length).toBeGreaterThan(0);
      const after = await fingerprint(database);
      if (JSON.stringify(after) !== JSON.stringify(before)) {
        expect({ changed: after, by: await changers() }).toEqual({ changed: before, by: [] });
      }
    });

    // Last, because it may change something; it shows that nothing above was refused for another reason.
    it.each([
      ['as it is', (text: string) => text, { 'Content-Type': JSON_TYPE }],
      ['at the limit', (text: string) => text.padEnd(limit), { 'content-type': 'Application/JSON; Charset="UTF-8"' }],
      [
        'with identity encoding',
        (text: string) => ` ${text}`,
        { 'Content-Type': JSON_TYPE, 'Content-Encoding': 'identity' },
      ],
    ])('takes a valid body %s', async (__, change, headers) => {
      const { status } = await send(operation, change(valid), headers);
      expect(operation.path === SIGN_IN ? [401] : [200, 201, 202, 204, 404, 409]).toContain(status);
    });
  });

  it('a body that never comes to its end does not keep others waiting', async () => {
    const headers = { Authorization: `Bearer ${owner.key}`, 'Content-Type': JSON_TYPE, 'Content-Length': '500' };
    const stuck = new RawConnection(app.url);
    stuck.write(requestBytes({ method: 'POST', path: '/api/v0/api-keys', headers, body: '{"name":' }));

    expect((await app.as(owner).get('/api/v0/me')).status).toBe(200);
    await expect(stuck.answer(50)).rejects.toThrow('There was no answer');
    stuck.close();
  });
});

function validBody({ path, body }: Operation): string {
  if (path === SIGN_IN) return JSON.stringify({ apiKey: 'apk_unknown' });
  return JSON.stringify(exampleOf({ ...resolved(body ?? {}), example: undefined }));
}

/** A field that takes any text; one that does not exist where there is none. */
function freeTextField({ body }: Operation): string {
  const fields = Object.entries(resolved(body ?? {}).properties ?? {});
  return fields.find(([, { type, format, enum: choices }]) => type === 'string' && !format && !choices)?.[0] ?? 'extra';
}

/** Values of every JSON type that the field does not have; strings are not turned into what is wanted, nor back. */
function wrongValues(operation: Operation, field: string): unknown[] {
  const { type } = resolved(resolved(operation.body ?? {}).properties?.[field] ?? {});
  const byType: [string, unknown[]][] = [
    ['string', ['5', '']],
    ['number', [5, -1.5]],
    ['boolean', [true]],
    ['array', [[], [null]]],
    ['object', [{}, { length: 1 }]],
    ['null', [null]],
  ];
  const types = [type ?? []].flat().map((name) => (name === 'integer' ? 'number' : name));
  return byType.flatMap(([name, values]) => (types.includes(name) ? [] : values));
}

/**
 * One digest for each table, in a fixed order (Postgres may append in parallel). The ledger of scheduled jobs and the
 * presence of replicas keep their own time, and counters of refused events are written later.
 */
async function fingerprint(database: pg.Client): Promise<Record<string, string>> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT t.tablename AS name FROM pg_tables t WHERE t.schemaname = 'public' AND t.tablename NOT IN ('job_runs', 'replicas', 'intake_days')`,
  );
  const digests = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) AS md5 FROM ${name} t`,
  );
  const { rows } = await database.query<{ name: string; md5: string }>(`${digests.join(' UNION ALL ')} ORDER BY name`);
  return Object.fromEntries(rows.map(({ name, md5 }) => [name, md5]));
}
