import { randomUUID } from 'node:crypto';
import { EVENT_KIND, type EventType } from '../../src/modules/ingest/event-codes.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { anEvent, dirtyDays, INGEST, sendEvents, storedEvents } from '../support/given-events.js';
import { ManualClock } from '../support/manual-clock.js';
import { stopAggregation } from '../support/stop-aggregation.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({ clock: new ManualClock('2026-11-15T08:30:00.000Z') });
  await stopAggregation(app);
});
beforeEach(async () => {
  org = await app.given.organization();
  owner = org.owner;
});
afterAll(() => app.stop());

const send = (...events: unknown[]) => sendEvents(app, owner, events);
const stored = () => storedEvents(app, org.id);
/** Sends one event that has to be accepted and returns how it is stored. */
async function store(type: EventType, fields: Record<string, unknown>) {
  const event = anEvent(type, fields);
  const { body } = await send(event);
  expect(body).toEqual({ accepted: 1, duplicates: 0, rejectedCount: 0, rejected: [] });
  return (await storedEvents(app, org.id, [event.id]))[0];
}
/** Sends one event beside a good one and returns why it was rejected. */
async function rejection(event: unknown): Promise<string> {
  const { status, body } = await send(anEvent(), event);
  expect([status, body.accepted, body.rejectedCount, body.rejected.length]).toEqual([200, 1, 1, 1]);
  expect(body.rejected[0].index).toBe(1);
  return body.rejected[0].error;
}

describe('an event', () => {
  it.each(Object.keys(EVENT_KIND) as EventType[])('of the type %s is stored', async (type) => {
    expect(await store(type, {})).toMatchObject({ type, userId: owner.id, at: '2026-11-14T09:30:00.000Z' });
  });

  it('without anything but the required fields has nothing else', async () => {
    const event = anEvent('git_commit');
    await send(event);
    const nothing = { sessionKey: null, autonomy: null, tier: null, name: null, detail: null, tokens: null };
    expect(await stored()).toEqual([{ ...event, userId: owner.id, client: 'non-interactive-cli', ...nothing }]);
  });

  it.each<[string, EventType, Record<string, unknown>, Record<string, unknown>]>([
    ['a client', 'user_message', { client: 'terminal-ui' }, { client: 'terminal-ui' }],
    [
      'tokens',
      'model_call',
      { modelId: 'm-thinking', inputTokens: 1000, outputTokens: 50, cacheReadTokens: 600, cacheWriteTokens: 100 },
      { name: 'm-thinking', detail: 'built-in', tier: 'thinking', tokens: [1000, 50, 600, 100, 535] },
    ],
    ['tokens without a cache', 'model_call', {}, { tier: 'standard', tokens: [100, 10, 0, 0, 110] }],
    ['no tokens at all', 'model_call', { inputTokens: 0, outputTokens: 0 }, { tokens: [0, 0, 0, 0, 0] }],
    [
      'as many tokens as there may be',
      'model_call',
      { inputTokens: 1e9, outputTokens: 1e9 },
      { tokens: [1e9, 1e9, 0, 0, 2e9] },
    ],
    ['a tool', 'tool_call', { tool: 'Read' }, { name: 'Read', detail: null, autonomy: 'off' }],
    [
      'a tool of a server',
      'tool_call',
      { tool: 'search', mcpServer: 'GitHub', autonomyLevel: 'spec' },
      { name: 'search', detail: 'GitHub', autonomy: 'spec' },
    ],
    ['a skill', 'skill_used', { name: ' re\u0007view\n' }, { name: 'review' }],
    ['a command', 'slash_command', { name: 'compact' }, { name: 'compact' }],
    [
      'a hook',
      'hook_run',
      { event: 'Stop', matcher: 'Edit|Write', command: 'a "b"' },
      { name: '["Stop","Edit|Write","a \\"b\\""]' },
    ],
    ['a hook without a matcher', 'hook_run', {}, { name: '["PostToolUse","","npm run lint"]' }],
    ['a file', 'file_created', { extension: 'TSX' }, { name: 'TypeScript', detail: '.tsx' }],
    [
      'a file of a language',
      'file_edited',
      { extension: '.x', language: 'Brainfuck' },
      { name: 'Brainfuck', detail: '.x' },
    ],
    ['a file without extension', 'file_edited', { extension: '' }, { name: 'Other', detail: '(none)' }],
  ])('keeps %s', async (_what, type, fields, row) => {
    expect(await store(type, fields)).toMatchObject(row);
  });

  it('keeps a sessionId that is a UUID, so that it is the session of that id', async () => {
    const sessionId = randomUUID();
    expect(await store('user_message', { sessionId })).toMatchObject({ sessionKey: sessionId });
  });

  it('marks its day as one to aggregate, with the number of events that came', async () => {
    const [a, b, c] = [anEvent(), anEvent(), anEvent('user_message', { at: '2026-11-13T00:00:00Z' })];
    await send(a, b, c);
    await send(a);
    expect(await dirtyDays(app, org.id)).toEqual({ '2026-11-14': 2, '2026-11-13': 1 });
  });
});

describe('an event that is wrong', () => {
  const id = randomUUID();
  it.each<[string, unknown, string]>([
    ['is no object', 'hello', 'an event must be an object'],
    ['is null', null, 'an event must be an object'],
    ['is a list', [anEvent()], 'an event must be an object'],
    ['has no type', anEvent('user_message', { type: undefined }), 'type must be one of session_started, user_message'],
    ['has an unknown type', { ...anEvent(), type: 'constructor' }, 'type must be one of'],
    ['has a field of another type', anEvent('user_message', { tool: 'x' }), 'tool is not a field of user_message'],
    ['has no id', anEvent('user_message', { id: undefined }), 'id must be a UUID'],
    ['has an id that is no UUID', anEvent('user_message', { id: 'x' }), 'id must be a UUID'],
    ['has no instant', anEvent('user_message', { at: undefined }), 'at must be an ISO 8601 date-time'],
    ['has an instant without zone', anEvent('user_message', { at: '2026-11-14T09:30:00' }), 'at must be'],
    ['has microseconds', anEvent('user_message', { at: '2026-11-14T09:30:00.000001Z' }), 'at must be'],
    ['has a day that does not exist', anEvent('user_message', { at: '2026-09-31T09:30:00Z' }), 'at must be'],
    ['has a number for an instant', anEvent('user_message', { at: 1794648600000 }), 'at must be'],
    [
      'has a session without a name',
      anEvent('user_message', { sessionId: '' }),
      'sessionId must be a string of 1 to 200',
    ],
    ['has null for a session', anEvent('user_message', { sessionId: null }), 'sessionId must be a string'],
    [
      'has an unknown client',
      anEvent('user_message', { client: 'toString' }),
      'client must be one of terminal-ui, web',
    ],
    ['names two users', anEvent('user_message', { userId: id, userEmail: 'a@example.com' }), 'not both'],
    ['has a user id that is none', anEvent('user_message', { userId: 'me' }), 'userId must be a UUID'],
    [
      'has an address that is none',
      anEvent('user_message', { userEmail: 'me' }),
      'userEmail must be an e-mail address',
    ],
    ['names no model', anEvent('model_call', { modelId: undefined }), 'modelId must be a string of 1 to 200'],
    ['names a model with a line break', anEvent('model_call', { modelId: 'a\nb' }), 'control characters'],
    ['has no output', anEvent('model_call', { outputTokens: undefined }), 'outputTokens must be a whole number'],
    ['has part of a token', anEvent('model_call', { inputTokens: 1.5 }), 'inputTokens must be a whole number'],
    ['has fewer than no tokens', anEvent('model_call', { outputTokens: -1 }), 'outputTokens must be a whole number'],
    ['has too many tokens', anEvent('model_call', { inputTokens: 1e9 + 1 }), 'from 0 to 1000000000'],
    ['has tokens as text', anEvent('model_call', { inputTokens: '5' }), 'inputTokens must be a whole number'],
    [
      'read more from the cache than there is',
      anEvent('model_call', { cacheReadTokens: 60, cacheWriteTokens: 41 }),
      'cacheReadTokens + cacheWriteTokens must not exceed it',
    ],
    [
      'kept more for an hour than it wrote to the cache',
      anEvent('model_call', { cacheWriteTokens: 40, cacheWrite1hTokens: 41 }),
      'cacheWriteTokens includes cacheWrite1hTokens',
    ],
    [
      'kept tokens for an hour, but wrote none to the cache',
      anEvent('model_call', { cacheWrite1hTokens: 1 }),
      'cacheWriteTokens includes cacheWrite1hTokens',
    ],
    ['says what it cost', anEvent('model_call', { reportedCost: 1 }), 'reportedCost is not a field of model_call'],
    ['says that it is a sum', anEvent('model_call', { isSum: true }), 'isSum is not a field of model_call'],
    [
      'thought more than it wrote',
      anEvent('model_call', { outputTokens: 10, thinkingTokens: 11 }),
      'outputTokens includes thinkingTokens',
    ],
    ['has no tool', anEvent('tool_call', { tool: undefined }), 'tool must be a string'],
    ['has a server without a name', anEvent('tool_call', { mcpServer: ' \t' }), 'mcpServer must not be empty'],
    ['has an unknown level', anEvent('tool_call', { autonomyLevel: 'auto-high' }), 'autonomyLevel must be one of'],
    ['has a skill of control characters', anEvent('skill_used', { name: '\u0001\u007f' }), 'name must not be empty'],
    ['has a skill of 10,001 characters', anEvent('skill_used', { name: 'x'.repeat(10_001) }), '1 to 10000 characters'],
    ['has a hook without a command', anEvent('hook_run', { command: undefined }), 'command must be a string'],
    ['has a hook with null for a matcher', anEvent('hook_run', { matcher: null }), 'matcher must be a string'],
    ['has no extension', anEvent('file_edited', { extension: undefined }), 'extension must be a string'],
    ['has a blank language', anEvent('file_edited', { language: ' ' }), 'language must not be empty'],
  ])('because it %s is rejected alone', async (_what, event, error) => {
    expect(await rejection(event)).toContain(error);
    expect(await stored()).toHaveLength(1);
  });

  it.each([
    ['a repeated key', '{"id":"x","id":"y"}', 'id: is given more than once'],
    ['a NUL character', '{"id":"\\u0000"}', 'NUL character'],
    ['half a surrogate pair in a key', '{"\\ud800":1}', 'half a surrogate pair'],
    ['a number that is not exact', '{"inputTokens":9007199254740993}', 'cannot be represented exactly'],
    ['a key that touches prototypes', '{"__proto__":{}}', '__proto__: is not allowed as a key'],
    ['very deep nesting', `{"a":${'['.repeat(70)}${']'.repeat(70)}}`, 'nested more than 64 levels deep'],
  ])('because of %s spoils no neighbour', async (_what, text, error) => {
    const [before, after] = [anEvent(), anEvent('tool_call', { tool: '[{"a,' })];
    const json = `{"events":[${JSON.stringify(before)}, ${text}, ${JSON.stringify(after)}]}`;
    const { status, body } = await app.as(owner).post(INGEST, json);
    expect([status, body.accepted, body.rejectedCount]).toEqual([200, 2, 1]);
    expect(body.rejected).toEqual([{ index: 1, error: expect.stringContaining(error) }]);
    expect((await stored()).map((row) => row.id).sort()).toEqual([before.id, after.id].sort());
  });

  it('is told by its place and its id, when it has one', async () => {
    const wrong = anEvent('model_call', { modelId: 5 });
    const { body } = await send(anEvent(), wrong, { id: 7 }, { id: 'x'.repeat(101) }, anEvent());
    expect(body).toMatchObject({ accepted: 2, duplicates: 0, rejectedCount: 3 });
    expect(body.rejected.map(({ index, id }: { index: number; id?: string }) => [index, id])).toEqual([
      [1, wrong.id],
      [2, undefined],
      [3, undefined],
    ]);
  });

  it('never makes the answer as long as itself', async () => {
    const key = JSON.stringify('k'.repeat(100_000));
    const { body } = await app.as(owner).post(INGEST, `{"events":[{${key}:1},{${key}:1,${key}:1}]}`);
    expect(body.rejected.map(({ error }: { error: string }) => error.length < 300)).toEqual([true, true]);
  });
});

describe('a body that is no list of events', () => {
  it.each([
    ['is no JSON', '{"events":[', undefined],
    ['is empty', '', undefined],
    ['is a list', '[]', 'events'],
    ['is null', 'null', 'events'],
    ['has no events', '{}', 'events'],
    ['has events that are no list', '{"events":{"0":{}}}', 'events'],
    ['has the events twice', '{"events":[],"events":[]}', 'events'],
    ['has an unknown field', '{"events":[],"dryRun":true}', 'dryRun'],
    ['has an unknown field with a list', '{"other":["\\u0000"],"events":[]}', 'other'],
  ])('because it %s is a 400', async (_what, text, field) => {
    const { status, body } = await app.as(owner).post(INGEST, text);
    expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
  });

  it('but an empty list is none of them', async () => {
    const { status, body } = await send();
    expect([status, body]).toEqual([200, { accepted: 0, duplicates: 0, rejectedCount: 0, rejected: [] }]);
  });
});
