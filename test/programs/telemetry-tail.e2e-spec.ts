import { tmpdir } from 'node:os';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { Program } from '../support/program.js';
import { TestApp } from '../support/test-app.js';

/** What must not be shown to whoever debugs a set-up. */
const SECRET = 'the prompt that nobody may see';

let app: TestApp;
let member: GivenUser;
let tail: Program;

beforeAll(async () => {
  app = await TestApp.start();
  member = await app.given.user(await app.given.organization(), { email: 'dev@example.com' });
  const { url: DATABASE_URL, appRole: DATABASE_APP_ROLE } = app.database;
  const env = { DATABASE_URL, DATABASE_APP_ROLE, SECRETS_KEY: '0'.repeat(64) };
  tail = Program.start('cli.js', ['telemetry', 'tail'], env, tmpdir());
  // The service hears of it a moment later.
  await eventually(
    'the service is watched',
    async () => {
      await app.as(member).post('/api/otlp/v1/metrics', {});
      return /metrics of/.exec(tail.output);
    },
    20_000, // a program has to start
  );
});
afterAll(async () => {
  tail.signal('SIGKILL');
  await app.stop();
});

const attribute = ([key, value]: [string, string | number]) => ({
  key,
  value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
});

/** Logs of Claude Code, each record as its attributes. */
const send = (...records: Record<string, string | number>[]) =>
  app.as(member).post('/api/otlp/v1/logs', {
    resourceLogs: [
      {
        resource: { attributes: [attribute(['service.name', 'claude-code'])] },
        scopeLogs: [
          {
            logRecords: records.map((record) => ({
              timeUnixNano: `${Date.now()}000000`,
              attributes: Object.entries(record).map(attribute),
            })),
          },
        ],
      },
    ],
  });

describe('`telemetry tail`', () => {
  it('shows whose telemetry arrived, how it was mapped and what was ignored', async () => {
    const call = { 'event.name': 'api_request', 'session.id': 's1', model: 'm', input_tokens: 5, output_tokens: 2 };
    await send(call, { ...call, input_tokens: 6 }, { 'event.name': 'tool_decision' }, { 'event.name': 'brand_new' });
    await tail.printed(/logs of dev@example\.com\n {2}Claude Code api_request x 2: 2 model_call\n/);
    await tail.printed(/ {2}Claude Code tool_decision x 1: nothing to count\n {2}ignored x 1: Claude Code brand_new\n/);
  });

  it('shows what counted first, and what is ignored in one line', async () => {
    const prompt = { 'event.name': 'user_prompt', prompt: SECRET, 'session.id': 's0' };
    await send({ 'event.name': 'brand_new' }, { 'event.name': 'newer_still' }, { 'event.name': 'brand_new' }, prompt);
    await tail.printed(
      /\n {2}Claude Code user_prompt x 1: 1 user_message\n {2}ignored x 3: Claude Code brand_new x 2, Claude Code newer_still\n/,
    );
  });

  it('shows requests with the same ignored records once, with a number', async () => {
    await send({ 'event.name': 'noise' });
    for (let i = 0; i < 3; i++) await send({ 'event.name': 'noise' }, { 'event.name': 'noise' });
    await send({ 'event.name': 'other noise' });
    await tail.printed(/ {2}and the same again x 3: ignored x 6\n[^\n]+\n {2}ignored x 1: Claude Code other noise/);
    expect(tail.output.match(/Claude Code noise/g)).toHaveLength(1);
  });

  it('shows nothing of what people write', async () => {
    await send({ 'event.name': 'user_prompt', prompt: SECRET, 'session.id': 's1' });
    await tail.printed(/user_prompt x 1: 1 user_message/);
    expect(tail.output).not.toContain(SECRET);
  });

  it('shows a request without any records', async () => {
    await app.as(member).post('/api/otlp/v1/traces', {});
    await tail.printed(/traces of dev@example\.com\n {2}empty\n/);
  });

  it('ends with Ctrl-C', async () => {
    tail.signal('SIGINT');
    expect((await tail.ended()).code).toBe(0);
  });
});
