import { gzipSync } from 'node:zlib';
import type { ApiAnswer } from '../support/api-client.js';
import { Bystander } from '../support/bystander.js';
import type { GivenUser } from '../support/given.js';
import { givenComputer, givenSession, type GivenSession } from '../support/given-session.js';
import { RawConnection, requestBytes, sendBytes } from '../support/raw-http.js';
import { agentPath, hello } from '../support/relay-agent.js';
import { RelaySocket } from '../support/relay-socket.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

/*
 * What one caller sends keeps nobody else waiting. The bound is on the wait of a bystander, not on the answer to the
 * caller; this process is client and service at once, so the bodies are made beforehand.
 */
const MAX_WAIT_MS = 1_000;
const MIB = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const GZIP = { 'Content-Encoding': 'gzip' };
const PROTOBUF = { 'Content-Type': 'application/x-protobuf' };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };

let app: TestApp;
let member: GivenUser;
let session: GivenSession;
let computers: string[];
let bystander: Bystander;
let eventsBefore: number;

beforeAll(async () => {
  app = await TestApp.start();
  member = await app.given.user(await app.given.organization());
  session = await givenSession(app, member);
  computers = await Promise.all(Array.from({ length: 3 }, () => givenComputer(app, member)));
  bystander = new Bystander(app.url);
  eventsBefore = await countEvents();
});
afterAll(async () => {
  bystander.close();
  await app.stop();
});

async function countEvents(): Promise<number> {
  const [row] = await query<{ count: number }>(app.database.url, `SELECT count(*)::int AS count FROM events`);
  return row?.count ?? 0;
}

const bearer = () => ({ Authorization: `Bearer ${member.key}` });

/** Fails unless a bystander is answered in time while `attack` goes on. */
async function unnoticed<T>(attack: () => Promise<T>): Promise<T> {
  const attacks: T[] = [];
  const wait = await bystander.longestWaitDuring(async () => attacks.push(await attack()));
  expect(wait).toBeLessThan(MAX_WAIT_MS);
  return attacks[0] as T;
}

/** `unit` as often as it fits into so many bytes. */
const filled = (bytes: number, unit: string, before = '[', after = '0]') =>
  before + unit.repeat(Math.floor((bytes - before.length - after.length) / unit.length)) + after;

describe('a query string of 16 KiB', () => {
  const UPGRADE = { Connection: 'Upgrade', Upgrade: 'websocket' };
  const queries: [string, string][] = [
    ['one name repeated', 'a&'.repeat(7_000)],
    ['one known name repeated', 'limit=1&'.repeat(1_800)],
    ['different names', Array.from({ length: 3_000 }, (_, i) => i.toString(36)).join('&')],
    ['escapes', '%61&'.repeat(3_500)],
    ['nothing', '&'.repeat(14_000)],
  ];

  it.each(queries)('with %s is refused at once, on every path, with and without a credential', async (_, text) => {
    const answers = await unnoticed(() =>
      Promise.all(
        ['/health/live', '/api/v0/sessions', '/api/v0/me', '/unknown', '/docs', agentPath(session.computerId)].flatMap(
          (path) =>
            [{}, bearer(), { ...bearer(), ...UPGRADE }].map((headers) =>
              sendBytes(app.url, requestBytes({ method: 'GET', path: `${path}?${text}`, headers })),
            ),
        ),
      ),
    );
    // The pages of the API document look at no query.
    const refused = answers.filter(({ headers }) => !/html/.test(headers['content-type'] ?? ''));
    expect(refused.map(({ status }) => status).filter((status) => ![400, 401, 404].includes(status))).toEqual([]);
    for (const { text: answer } of refused) expect(answer.length).toBeLessThan(10_000);
  });

  it('that names more parameters than there are is a 400 behind the guard', async () => {
    const text = Array.from({ length: 101 }, (_, i) => `p${i}=1`).join('&');
    const get = (path: string) => app.as(member).get(`${path}?${text}`);
    expect((await get('/api/v0/me')).body.detail).toBe('The query string is not valid.');
    expect((await get('/api/v0/sessions')).body.detail).toBe('The query string is not valid.');
    expect((await app.withBearer(null).get(`/api/v0/me?${text}`)).status).toBe(401);
  });
});

describe('requests that are sent without waiting for answers', () => {
  const pipeline = (count: number) => 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count);

  it('are answered in order', async () => {
    const connection = new RawConnection(app.url);
    connection.write(pipeline(100) + 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    for (let i = 0; i < 100; i++) expect((await connection.answer()).status).toBe(404);
    expect((await connection.answer()).status).toBe(200);
    connection.close();
  });

  it('are not answered when they come in hundreds: the connection is closed, and nobody waits for that', async () => {
    const hundreds = pipeline(1_000);
    const connection = new RawConnection(app.url);
    await unnoticed(() => {
      connection.write(hundreds);
      return connection.end();
    });
  });
});

type Attack = [name: string, path: () => string, headers: Record<string, string>, body: () => string | Buffer];
const MESSAGES = () => `${session.path}/messages`;
const SESSIONS = () => '/api/v0/sessions';
const EVENTS = () => '/api/v1/ingest/events';
const LOGS = () => '/api/otlp/v1/logs';
const records = (list: string) => `{"resourceLogs":[{"scopeLogs":[{"logRecords":${list}}]}]}`;
/** 1,000 hooks in one record. */
const HOOKS =
  '{"body":{"stringValue":"claude_code.hook_execution_complete"},"attributes":[{"key":"event.name","value":{"stringValue":"hook_execution_complete"}},{"key":"num_hooks","value":{"intValue":1000}},{"key":"hook_event","value":{"stringValue":"Stop"}}]}';
/** A request, in protobuf, of one resource and one scope with nothing but these bytes. */
const inScope = (items: Buffer) => lengthDelimited(0x0a, lengthDelimited(0x12, items));

function lengthDelimited(tag: number, content: Buffer): Buffer {
  const length: number[] = [];
  let rest = content.length;
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([tag, ...length, rest]), content]);
}

const ATTACKS: Attack[] = [
  ['100,000 images', MESSAGES, JSON_TYPE, () => filled(300_000, '{},', '{"text":"a","images":[', '{}]}')],
  [
    '100,000 images that are lists',
    MESSAGES,
    JSON_TYPE,
    () => filled(300_000, '[],', '{"text":"a","images":[', '[]]}'),
  ],
  [
    'an object with 40,000 lists for images',
    MESSAGES,
    JSON_TYPE,
    () => filled(1e5, '[],', '{"text":"a","images":{"a":[', '[]]}}'),
  ],
  ['25,000 tags', SESSIONS, JSON_TYPE, () => `{"sessionSettings":{"tags":[${'{"a":1},'.repeat(25_000)}{}]}}`],
  ['an unknown field with 90,000 objects', SESSIONS, JSON_TYPE, () => filled(130_000, '{},', '{"more":[', '{}]}')],
  [
    '90 items of 900 unknown fields',
    SESSIONS,
    JSON_TYPE,
    () => `{"sessionSettings":{"tags":[${`${keys(900)},`.repeat(89)}{}]}}`,
  ],
  ['32 MiB of empty objects', MESSAGES, JSON_TYPE, () => filled(32 * MIB, '{},')],
  ['8 MiB of numbers', MESSAGES, JSON_TYPE, () => filled(8 * MIB, '1,')],
  ['32 MiB of brackets', MESSAGES, JSON_TYPE, () => filled(32 * MIB, '[')],
  ['8 MiB of strings', MESSAGES, JSON_TYPE, () => filled(8 * MIB, '"",')],
  ['32 MiB of white space', MESSAGES, JSON_TYPE, () => filled(32 * MIB, ' ')],
  ['32 MiB of escaped quotes', MESSAGES, JSON_TYPE, () => filled(32 * MIB, '\\"', '{"more":"', '"}')],
  ['8 MiB of escapes', MESSAGES, JSON_TYPE, () => filled(8 * MIB, '\\u00e9', '{"more":"', '"}')],
  ['a number of 8 MiB', MESSAGES, JSON_TYPE, () => filled(8 * MIB, '0', '{"more":1.', '1}')],
  ['1 MiB of empty objects', SESSIONS, JSON_TYPE, () => filled(MIB, '{},')],
  ['1 MiB of keys', SESSIONS, JSON_TYPE, () => filled(MIB, '"a":1,', '{', '"b":1}')],
  ['a number of 1 MiB', SESSIONS, JSON_TYPE, () => filled(MIB, '0', '{"more":1.', '1}')],
  ['5 MiB of empty events', EVENTS, JSON_TYPE, () => filled(5 * MIB, '{},', '{"events":[', '{}]}')],
  ['5 MiB of brackets for events', EVENTS, JSON_TYPE, () => filled(5 * MIB, '[],', '{"events":[[', ']]}')],
  ['a line of 5 MiB of brackets', EVENTS, NDJSON, () => filled(5 * MIB, '[')],
  ['lines of 250 KiB of brackets', EVENTS, NDJSON, () => `${filled(250 * 1024, '[],')}\n`.repeat(20)],
  ['50,000 lines', EVENTS, { ...NDJSON, ...GZIP }, () => gzipSync('[]\n'.repeat(50_000))],
  ['16 MiB of empty records', LOGS, { ...JSON_TYPE, ...GZIP }, () => gzipSync(records(filled(16 * MIB - 99, '{},')))],
  ['99,999 empty records', LOGS, { ...JSON_TYPE, ...GZIP }, () => gzipSync(records(`[${'{},'.repeat(99_998)}{}]`))],
  [
    '16 MiB of brackets for a record',
    LOGS,
    { ...JSON_TYPE, ...GZIP },
    () => gzipSync(records(filled(16 * MIB - 99, '[],', '[{"a":[', ']}]'))),
  ],
  [
    '16 MiB of empty resources',
    LOGS,
    { ...JSON_TYPE, ...GZIP },
    () => gzipSync(filled(16 * MIB, '{},', '{"resourceLogs":[', '{}]}')),
  ],
  [
    'records of a million hooks',
    LOGS,
    { ...JSON_TYPE, ...GZIP },
    () =>
      gzipSync(
        records(`[${`${HOOKS},`.repeat(1_000)}{}]`).replace(
          '"scopeLogs"',
          '"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"claude-code"}}]},"scopeLogs"',
        ),
      ),
  ],
  [
    '16 MiB of empty records in protobuf',
    LOGS,
    { ...PROTOBUF, ...GZIP },
    () => gzipSync(inScope(Buffer.alloc(16 * MIB - 99, Buffer.from([0x12, 0])))),
  ],
  [
    '16 MiB of attributes of one record in protobuf',
    LOGS,
    { ...PROTOBUF, ...GZIP },
    () => gzipSync(inScope(lengthDelimited(0x12, Buffer.alloc(15 * MIB, Buffer.from([0x32, 0]))))),
  ],
];

function keys(count: number): string {
  return `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`;
}

const prepared = new Map<string, Buffer>();
function prepare([name, path, headers, body]: Attack): Buffer {
  const known = prepared.get(name);
  const bytes =
    known ?? requestBytes({ method: 'POST', path: path(), headers: { ...bearer(), ...headers }, body: body() });
  prepared.set(name, bytes);
  return bytes;
}

describe('a body', () => {
  afterAll(() => prepared.clear());

  it.each(ATTACKS)('of %s keeps nobody waiting, and its answer is short', async (...attack) => {
    const bytes = prepare(attack);
    const answer = await unnoticed(() => sendBytes(app.url, bytes, 25_000));
    expectRefused(answer);
  });

  it('is refused together with others, and still nobody waits', async () => {
    const all = ATTACKS.map(prepare).filter((bytes) => bytes.length < 6 * MIB);
    const answers = await unnoticed(() => Promise.all(all.map((bytes) => sendBytes(app.url, bytes, 50_000))));
    answers.forEach(expectRefused);
  }, 60_000);

  it('names at most 50 fields that are wrong', async () => {
    const tags = Array.from({ length: 100 }, () => ({ name: 5, metadata: 6 }));
    const { status, body, text } = await app
      .as(member)
      .post('/api/v0/sessions', { computerId: session.computerId, sessionSettings: { tags } });
    expect([status, body.errors.length]).toEqual([400, 50]);
    expect(body.detail).toMatch(/; and 190 more$/);
    expect(text.length).toBeLessThan(10_000);
  });

  it('is told what is too much', async () => {
    const post = async (path: string, body: string) => (await app.as(member).post(path, body)).body.detail as string;
    expect(await post('/api/v0/sessions', filled(MIB, '{},'))).toBe('The body has more than 100000 JSON values.');
    expect(await post(MESSAGES(), `{"text":"a","images":[${'{},'.repeat(20)}{}]}`)).toBe(
      'images: must be a list of 0 to 20 objects',
    );
    expect(await post(EVENTS(), `{"events":[${'{},'.repeat(5_000)}{}]}`)).toMatch(
      /^At most 5000 events in one request/,
    );
  });

  it('leaves nothing behind', async () => {
    expect(await countEvents()).toBe(eventsBefore);
    expect((await app.as(member).get(session.path)).body.messageCount).toBe(0);
  });
});

/** Telemetry that tells nothing is taken, and lines are rejected singly. */
function expectRefused({ status, text }: ApiAnswer): void {
  expect([200, 400, 413]).toContain(status);
  expect(text.length).toBeLessThan(150_000);
  if (status !== 200) expect(text.length).toBeLessThan(10_000);
}

describe('a frame', () => {
  const turn = { sessionId: randomId(), messageId: randomId(), attempt: 1 };
  const request = (method: string, params: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  const introduction = JSON.stringify(hello()).replace('"turns":[]', '"turns":[#]');
  const message = JSON.stringify({ id: randomId(), role: 'assistant', content: ['#'] }).replace('"#"', '#');

  it.each([
    [
      'hello with millions of turns',
      () => request('hello', introduction.replace('#', filled(7.8 * MIB, '{},', '', '{}'))),
    ],
    ['hello with 1,001 turns', () => request('hello', introduction.replace('#', `${'{},'.repeat(1_000)}{}`))],
    [
      'message.put with 24,000 blocks',
      () => request('message.put', put(message.replace('#', `${'{},'.repeat(24_000)}{}`))),
    ],
    [
      'message.put with 24,000 blocks in 30 messages',
      () =>
        request(
          'message.put',
          put(
            Array<string>(30)
              .fill(message.replace('#', `${'{},'.repeat(790)}{}`))
              .join(','),
          ),
        ),
    ],
    ['brackets', () => request('turn.renew', filled(7.8 * MIB, '['))],
    ['a number', () => request('turn.renew', filled(7.8 * MIB, '0', '{"a":1.', '1}'))],
    ['a text', () => request('turn.renew', filled(7.8 * MIB, '\\"', '{"a":"', '"}'))],
    [
      'unknown keys',
      () =>
        request(
          'turn.abandon',
          `{"turn":${JSON.stringify(turn)},${keys(900)
            .slice(1)
            .replaceAll('"k', `"${'k'.repeat(5_000)}`)}`,
        ),
    ],
  ])('of %s keeps nobody waiting, several at a time', async (_, frame) => {
    const text = frame();
    const bytes = Buffer.from(text);
    const sockets = await Promise.all(
      computers.map((id) => RelaySocket.open(app.url, agentPath(id), member.key, { isUnmasked: true })),
    );
    if (!text.includes('hello')) await Promise.all(sockets.map((socket) => socket.call('hello', hello())));
    const answers = await unnoticed(() => Promise.all(sockets.map((socket) => answerTo(socket, bytes))));
    for (const answer of answers) {
      expect(JSON.parse(answer)).toHaveProperty('error');
      expect(answer.length).toBeLessThan(2_000);
    }
    await Promise.all(sockets.map((socket) => socket.end()));
  });

  const put = (messages: string) => `{"turn":${JSON.stringify(turn)},"messages":[${messages}]}`;
});

function answerTo({ socket }: RelaySocket, frame: Buffer): Promise<string> {
  return new Promise((resolve) => {
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      if (text.includes('"error"')) resolve(text);
    });
    socket.send(frame, { binary: false });
  });
}

function randomId(): string {
  return '01980f73-6d55-7e6f-9071-8c9d0e1f2a3b';
}
