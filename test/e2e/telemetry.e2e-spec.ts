import { gzipSync } from 'node:zlib';
import { Role } from '../../src/common/access/role.enum.js';
import { EVENT_KIND } from '../../src/modules/ingest/event-codes.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenSession } from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  otlpSample as sample,
  type OtlpBody as Body,
  type OtlpSignal as Signal,
  signalOf,
  splitRequest as split,
} from '../support/otlp-requests.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
const logs: string[] = [];
let app: TestApp;
let org: GivenOrganization;
let member: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({ clock, onLog: (line) => logs.push(line) });
});
beforeEach(async () => {
  org = await app.given.organization();
  member = await app.given.user(org, { role: Role.Member });
});
afterAll(() => app.stop());

const send = (user: GivenUser, signal: Signal, body: object, headers = {}) =>
  app.as(user).post(`/api/otlp/v1/${signal}`, body, headers);

/** How many events of each type a user has. */
async function eventsOf(user: GivenUser): Promise<Record<string, number>> {
  const rows = await query<{ kind: number; count: number }>(
    app.database.url,
    `SELECT e.kind, count(*)::int AS count FROM events e WHERE e.org_id = $1 AND e.user_id = $2 GROUP BY e.kind`,
    [user.orgId, user.id],
  );
  const nameOf = new Map(Object.entries(EVENT_KIND).map(([name, kind]) => [kind as number, name]));
  return Object.fromEntries(rows.map(({ kind, count }) => [nameOf.get(kind) ?? '', count]));
}

async function tokensOf(user: GivenUser): Promise<number[]> {
  const [row] = await query<{ tokens: number[] }>(
    app.database.url,
    `SELECT ARRAY[sum(e.input_tokens), sum(e.output_tokens), sum(e.cache_read_tokens)]::float8[] AS tokens
       FROM events e WHERE e.org_id = $1 AND e.user_id = $2 AND e.kind = $3`,
    [user.orgId, user.id, EVENT_KIND.model_call],
  );
  return row?.tokens ?? [];
}

const AGENTS = [
  ['Claude Code', ['claude-code-logs', 'claude-code-metrics']],
  ['Gemini CLI', ['gemini-cli-logs', 'gemini-cli-metrics-cumulative']],
  ['Codex', ['codex-logs', 'codex-metrics']],
  ['opencode', ['opencode-traces-excerpt']],
] as const;

describe.each(AGENTS)('the telemetry of %s', (_, names) => {
  const sendAll = async (user: GivenUser) => {
    for (const body of names.map(sample)) expect((await send(user, signalOf(body), body)).status).toBe(200);
  };

  it('becomes usage of the caller, once however often it is sent', async () => {
    await sendAll(member);
    const first = await eventsOf(member);
    expect(first.model_call).toBeGreaterThan(0);
    await sendAll(member);
    expect(await eventsOf(member)).toEqual(first);
  });

  it('gives the same whether it comes at once or record by record, in any order', async () => {
    await sendAll(member);
    const other = await app.given.user(org, { role: Role.Member });
    const pieces = names.map(sample).flatMap(split).reverse();
    for (const piece of pieces) await send(other, signalOf(piece), piece);
    expect([await eventsOf(other), await tokensOf(other)]).toEqual([await eventsOf(member), await tokensOf(member)]);
  });
});

describe('a record that names somebody', () => {
  const naming = (email: string): Body =>
    JSON.parse(JSON.stringify(sample('claude-code-logs-http-json')).replaceAll('dev@example.com', email)) as Body;

  it('counts for that user when an owner sends it', async () => {
    await send(org.owner, 'logs', naming(member.email.toUpperCase()));
    expect((await eventsOf(member)).model_call).toBeGreaterThan(0);
    expect(await eventsOf(org.owner)).toEqual({});
  });

  it('counts for the sender when the organization has no such user', async () => {
    await send(org.owner, 'logs', naming('nobody@example.com'));
    expect((await eventsOf(org.owner)).model_call).toBeGreaterThan(0);
  });

  it('counts for the sender when that is a member, whomever it names', async () => {
    await send(member, 'logs', naming(org.owner.email));
    expect((await eventsOf(member)).model_call).toBeGreaterThan(0);
    expect(await eventsOf(org.owner)).toEqual({});
  });
});

describe('the telemetry of an agent in a session', () => {
  const body = sample('codex-logs');

  it('counts its model calls alone, for that session', async () => {
    const session = await givenSession(app, member);
    expect((await send(member, 'logs', body, { 'agent-platform-session': session.id })).status).toBe(200);
    const { model_call: calls = 0, session_started: sessions, ...others } = await eventsOf(member);
    expect([calls > 0, sessions, others]).toEqual([true, 1, {}]);
    const { tokenUsage } = (await app.as(member).get(session.path)).body.sessionSettings;
    expect([tokenUsage.inputTokens, tokenUsage.outputTokens]).toEqual((await tokensOf(member)).slice(0, 2));
  });

  it('is a 400 when the session has no id', async () => {
    const { status, body: problem } = await send(member, 'logs', body, { 'agent-platform-session': 's-1' });
    expect([status, problem.detail]).toEqual([400, 'agent-platform-session: must be the id of a session']);
  });
});

describe('what agents send along', () => {
  it('of prompts, arguments, outputs and command lines is neither stored nor logged', async () => {
    const secret = 'hunter2-in-plain-sight';
    for (const [, names] of AGENTS) {
      for (const body of names.map(sample)) {
        const text = JSON.stringify(body, (key, value: unknown) =>
          key === 'attributes' ? withSecrets(value, secret) : value,
        );
        expect((await send(member, signalOf(body), JSON.parse(text) as Body)).status).toBe(200);
      }
    }
    const tables = await query<{ name: string }>(
      app.database.url,
      `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) {
      const found = await query(
        app.database.url,
        `SELECT 1 FROM ${name} t WHERE t::text LIKE '%' || $1 || '%' LIMIT 1`,
        [secret],
      );
      expect([name, found.length]).toEqual([name, 0]);
    }
    expect(logs.filter((line) => line.includes(secret))).toEqual([]);
  });
});

const CARRIERS = [
  'prompt',
  'arguments',
  'output',
  'function_args',
  'process.command_args',
  'ai.prompt',
  'ai.toolCall.args',
];

function withSecrets(attributes: unknown, secret: string): unknown {
  if (!Array.isArray(attributes)) return attributes;
  return [...(attributes as object[]), ...CARRIERS.map((key) => ({ key, value: { stringValue: `say ${secret}` } }))];
}

const isPrompt = (body: Body) => JSON.stringify(body).includes('"stringValue":"user_prompt"');

describe('a request that cannot be used', () => {
  it('is a 400 with a status that tells why, in JSON', async () => {
    const { status, body, headers } = await send(member, 'logs', { resourceLogs: 'none' });
    expect([status, headers['content-type']]).toEqual([400, expect.stringContaining('application/json')]);
    expect(body).toMatchObject({ code: 3, message: expect.any(String), status: 400, requestId: expect.any(String) });
  });

  it('is a 400 in protobuf when it came in protobuf', async () => {
    const { status, headers } = await app
      .as(member)
      .post('/api/otlp/v1/logs', '\u0007garbage', { 'Content-Type': 'application/x-protobuf' });
    expect([status, headers['content-type']]).toEqual([400, 'application/x-protobuf']);
  });

  it('is a 401 without a credential, in the same form', async () => {
    const { status, body } = await app.withBearer(null).post('/api/otlp/v1/logs', { resourceLogs: [] });
    expect([status, body.code]).toEqual([401, 16]);
  });

  it('is a 415 in another media type', async () => {
    const { status } = await app.as(member).post('/api/otlp/v1/logs', 'x', { 'Content-Type': 'text/plain' });
    expect(status).toBe(415);
  });

  it('tells how many records were rejected, and takes the others', async () => {
    const text = JSON.stringify(split(sample('claude-code-logs-http-json')).filter(isPrompt));
    const [early, late = early] = [
      text,
      text.replace(/"timeUnixNano":"\d+"/, '"timeUnixNano":"4102444800000000000"'),
    ].map((requests) => (JSON.parse(requests) as Body[])[0]);
    const both = { resourceLogs: [...(early?.resourceLogs ?? []), ...(late?.resourceLogs ?? [])] };
    const { status, body } = await send(member, 'logs', both);
    const partialSuccess = { rejectedLogRecords: '1', errorMessage: 'at lies in the future' };
    expect([status, body]).toEqual([200, { partialSuccess }]);
    expect(await eventsOf(member)).toEqual({ user_message: 1 });
  });

  it('may be empty, and then it is a success', async () => {
    const { status, body } = await send(member, 'traces', {});
    expect([status, body]).toEqual([200, {}]);
  });
});

it('takes gzip', async () => {
  const zipped = gzipSync(JSON.stringify(sample('claude-code-logs-http-json')));
  const response = await fetch(`${app.url}/api/otlp/v1/logs`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${member.key}`, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    body: zipped,
  });
  expect([response.status, await response.text()]).toEqual([200, '{}']);
  expect((await eventsOf(member)).model_call).toBeGreaterThan(0);
});
