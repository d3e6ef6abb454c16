import { gzipSync } from 'node:zlib';
import type { GivenUser } from '../support/given.js';
import { sendRaw } from '../support/raw-http.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const LIMIT = 16 * 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const PROTOBUF_TYPE = { 'Content-Type': 'application/x-protobuf' };
const GZIP = { 'Content-Encoding': 'gzip' };

const errors: string[] = [];
let app: TestApp;
let owner: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({
    onLog: (line) => (JSON.parse(line) as { level: number }).level >= 50 && errors.push(line),
  });
  ({ owner } = await app.given.organization());
});
afterAll(() => app.stop());
afterEach(() => expect(errors).toEqual([]));

const send = (body: string | Uint8Array, headers: Record<string, string>, signal = 'logs') =>
  sendRaw(app.url, {
    method: 'POST',
    path: `/api/otlp/v1/${signal}`,
    headers: { Authorization: `Bearer ${owner.key}`, ...headers },
    body,
  });

const deep = (levels: number) =>
  `${'{"kvlistValue":{"values":[{"key":"a","value":'.repeat(levels)}{}${'}]}}'.repeat(levels)}`;
const logsWith = (attributes: string) =>
  `{"resourceLogs":[{"resource":{"attributes":[]},"scopeLogs":[{"scope":{},"logRecords":[{"attributes":${attributes}}]}]}]}`;

describe('telemetry that is not what it should be', () => {
  it.each<[string, string | Uint8Array, Record<string, string>, number]>([
    ['no JSON', 'nonsense', JSON_TYPE, 400],
    ['a list', '[]', JSON_TYPE, 400],
    ['a text for a list', '{"resourceLogs":"x"}', JSON_TYPE, 400],
    ['half a body of protobuf', new Uint8Array([0x0a, 0x7f, 0x01]), PROTOBUF_TYPE, 400],
    ['protobuf without end', new Uint8Array(100).fill(0xff), PROTOBUF_TYPE, 400],
    ['what is said to be zipped and is not', '{}', { ...JSON_TYPE, ...GZIP }, 400],
    ['a bomb', gzipSync(Buffer.alloc(LIMIT * 4)), { ...JSON_TYPE, ...GZIP }, 413],
    ['a long body', ' '.repeat(LIMIT + 1), JSON_TYPE, 413],
    ['another encoding', '{}', { ...JSON_TYPE, 'Content-Encoding': 'br' }, 415],
    ['another type', '{}', { 'Content-Type': 'application/xml' }, 415],
  ])('is refused when it is %s', async (_, body, headers, status) => {
    expect((await send(body, headers)).status).toBe(status);
  });

  it.each<[string, string]>([
    [
      'keys that touch prototypes',
      '[{"key":"__proto__","value":{"stringValue":"x"}},{"key":"constructor","value":{}}]',
    ],
    ['NUL and half surrogate pairs', '[{"key":"event.name","value":{"stringValue":"a\\u0000\\ud800"}}]'],
    ['values of no kind', '[{"key":"a"},{"value":null},null,5,"x",{"key":5,"value":{"intValue":"no"}}]'],
    ['deep nesting', `[{"key":"a","value":${deep(500)}}]`],
    ['numbers that nobody can hold', '[{"key":"input_tokens","value":{"intValue":"9999999999999999999999"}}]'],
  ])('is taken, and ignored, with %s', async (_, attributes) => {
    const { status, text } = await send(logsWith(attributes), JSON_TYPE);
    expect([status, text]).toEqual([200, '{}']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(await query(app.database.url, `SELECT 1 FROM events`)).toEqual([]);
  });

  it.each(['logs', 'metrics', 'traces'])(
    'is a 400 in protobuf for %s, with a status that can be read',
    async (signal) => {
      const { status, headers } = await send(new Uint8Array([0x07, 1, 2, 3]), PROTOBUF_TYPE, signal);
      expect([status, headers['content-type']]).toEqual([400, 'application/x-protobuf']);
    },
  );
});
