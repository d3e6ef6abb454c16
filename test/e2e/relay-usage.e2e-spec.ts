import { randomUUID } from 'node:crypto';
import type { IngestResult } from '../../src/modules/ingest/ingest.service.js';
import { MAX_USAGE_EVENTS, type TurnRef } from '../../src/protocol/relay-protocol.js';
import { ANALYTICS, aggregate, startUsageApp } from '../support/given-usage.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { anEvent, EVENT_AT, type SentEvent, storedEvents } from '../support/given-events.js';
import { givenAccess, givenComputer, givenMessage, givenSession, type GivenSession } from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import { RelayAgent, says } from '../support/relay-agent.js';
import type { TestApp } from '../support/test-app.js';

const NOT_FOUND = -32004;
const INVALID = -32602;
const MODEL_CALL = {
  modelId: 'model-a',
  inputTokens: 1000,
  outputTokens: 50,
  cacheReadTokens: 400,
  cacheWriteTokens: 100,
};
const BILLABLE = 1000 - 400 - 100 + 40 + 125 + 50;

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let session: GivenSession;
let agent: RelayAgent;
/** Of the session; usage is told of turns. */
let turn: TurnRef;

beforeAll(async () => {
  app = await startUsageApp({ clock });
});
beforeEach(async () => {
  clock.set('2026-11-15T08:30:00.000Z');
  org = await app.given.organization();
  ada = await app.given.user(org);
  session = await givenSession(app, ada);
  agent = await RelayAgent.connect(app.url, ada.key, session.computerId);
  await givenMessage(app, session, 'Hello');
  turn = await agent.turn();
});
afterEach(() => agent.end());
afterAll(() => app.stop());

const report = async (events: SentEvent[], sessionId = session.id) =>
  (await agent.relay.call('usage.report', { sessionId, events })) as IngestResult;
const refusal = (events: object[], sessionId = session.id) =>
  agent.relay.refusal('usage.report', { sessionId, events });
const tokenUsage = async (of = session) => (await app.as(of.user).get(of.path)).body.sessionSettings.tokenUsage;
const monthUsage = async (user: GivenUser) => (await app.as(user).get('/api/v0/me')).body.usage.used as number;
const countStored = async (type: string) => (await storedEvents(app, org.id)).filter((one) => one.type === type).length;

describe('usage that an agent reports', () => {
  it('is stored as events of the session and its user', async () => {
    const events = (['model_call', 'tool_call', 'file_edited', 'git_commit', 'hook_run'] as const).map((type) =>
      anEvent(type),
    );
    expect(await report(events)).toMatchObject({ accepted: 5, duplicates: 0, rejectedCount: 0 });
    const ids = events.map(({ id }) => id);
    const stored = await storedEvents(app, org.id, ids);
    expect(stored.map(({ type }) => type).sort()).toEqual(events.map(({ type }) => type).sort());
    for (const one of stored) expect(one).toMatchObject({ userId: ada.id, sessionKey: session.id, at: EVENT_AT });
  });

  it('is in the token usage of the session and in the month of its user', async () => {
    await report([anEvent('model_call', MODEL_CALL), anEvent('model_call', MODEL_CALL)]);
    expect(await tokenUsage()).toMatchObject({ inputTokens: 2000, outputTokens: 100, cacheReadTokens: 800 });
    expect(await monthUsage(ada)).toBe(2 * BILLABLE);
  });

  it('counts once, however often it is reported', async () => {
    const events = [anEvent('model_call', MODEL_CALL), anEvent('tool_call')];
    await report(events);
    expect(await report(events)).toMatchObject({ accepted: 0, duplicates: 2, rejectedCount: 0 });
    expect(await report([...events, anEvent('git_commit')])).toMatchObject({ accepted: 1, duplicates: 2 });
    expect([await monthUsage(ada), (await tokenUsage()).inputTokens]).toEqual([BILLABLE, 1000]);
  });

  it('counts for the user whose session it is, not for whoever runs the computer', async () => {
    const bob = await app.given.user(org);
    await givenAccess(app, ada, session.computerId, { access: 'organization' });
    const theirs = await givenSession(app, bob, session.computerId);
    await givenMessage(app, theirs, 'Hello');
    await agent.turn(1);
    await report([anEvent('model_call', MODEL_CALL)], theirs.id);
    expect([await monthUsage(bob), await monthUsage(ada)]).toEqual([BILLABLE, 0]);
    expect((await tokenUsage(theirs)).inputTokens).toBe(1000);
    expect((await tokenUsage()).inputTokens).toBe(0);
  });

  it('may come after the turn has ended', async () => {
    await agent.endTurn(turn);
    clock.advance(24 * 3600_000);
    expect(await report([anEvent('model_call')])).toMatchObject({ accepted: 1 });
  });

  it('may come after the session has moved to another computer', async () => {
    await agent.endTurn(turn);
    const computerId = await givenComputer(app, ada);
    await app.as(ada).post(`${session.path}/messages`, { text: 'Go on there', computerId });
    expect(await report([anEvent('model_call')])).toMatchObject({ accepted: 1 });
  });

  it('is in the analytics of its day', async () => {
    await report([anEvent('model_call', { ...MODEL_CALL, at: '2026-11-15T08:30:00.000Z' })]);
    await report([anEvent('tool_call', { at: '2026-11-15T08:30:00.000Z' })]);
    await agent.endTurn(turn, 'completed', says('Hi'));
    clock.advance(24 * 3600_000);
    await aggregate(app);
    const read = async (what: string) =>
      (await app.as(org.owner).get(`${ANALYTICS}/${what}?startDate=2026-11-15&endDate=2026-11-15`)).body.data[0];
    expect(await read('tokens')).toMatchObject({ billable_tokens: BILLABLE });
    expect(await read('activity')).toMatchObject({ sessions: 1, user_messages: 1 });
  });
});

describe('what the service records itself', () => {
  it.each(['session_started', 'user_message', 'assistant_message'] as const)('%s cannot be reported', async (type) => {
    const before = await countStored(type);
    const { code, message } = await refusal([anEvent('tool_call'), anEvent(type)]);
    expect([code, message]).toEqual([INVALID, expect.stringContaining(type)]);
    expect([await countStored(type), await countStored('tool_call')]).toEqual([before, 0]);
  });
});

describe('a report is refused', () => {
  it('for a session that does not exist', async () => {
    expect((await refusal([anEvent('tool_call')], randomUUID())).code).toBe(NOT_FOUND);
  });

  it('for a session on another computer, even of the same user', async () => {
    const elsewhere = await givenSession(app, ada, await givenComputer(app, ada));
    expect((await refusal([anEvent('tool_call')], elsewhere.id)).code).toBe(NOT_FOUND);
  });

  it('for a session on this computer of which it never had a turn', async () => {
    const idle = await givenSession(app, ada, session.computerId);
    expect(await refusal([anEvent('model_call', MODEL_CALL)], idle.id)).toEqual({
      code: NOT_FOUND,
      message: expect.stringContaining('no turn'),
    });
    expect((await tokenUsage(idle)).inputTokens).toBe(0);
  });

  it('for a turn that was interrupted while it waited', async () => {
    await agent.end();
    const waiting = await givenSession(app, ada, session.computerId);
    await givenMessage(app, waiting, 'Hello');
    await app.as(ada).post(`${waiting.path}/interrupt`);
    const { sessionId, messageId, attempt } = turn;
    const turns = [{ sessionId, messageId, attempt }];
    agent = await RelayAgent.connect(app.url, ada.key, session.computerId, { turns });
    expect((await refusal([anEvent('tool_call')], waiting.id)).code).toBe(NOT_FOUND);
  });

  it('later than 24 hours after the last turn', async () => {
    await agent.endTurn(turn);
    clock.advance(24 * 3600_000 + 1);
    expect((await refusal([anEvent('tool_call')])).code).toBe(NOT_FOUND);
  });

  it('for a session of another organization', async () => {
    const { owner } = await app.given.organization();
    expect((await refusal([anEvent('tool_call')], (await givenSession(app, owner)).id)).code).toBe(NOT_FOUND);
  });

  it.each([
    ['no events', () => []],
    ['too many events', () => Array.from({ length: MAX_USAGE_EVENTS + 1 }, () => anEvent('git_commit'))],
    ['an event without an id', () => [anEvent('tool_call', { id: undefined })]],
    ['an event without a type', () => [{ ...anEvent('tool_call'), type: '' }]],
    ['an event at no time', () => [anEvent('tool_call', { at: 'yesterday' })]],
  ])('with %s', async (_, events) => {
    const { code, message } = await refusal(events());
    expect([code, message]).toEqual([INVALID, expect.stringMatching(/^events/)]);
  });
});

describe('an event that is wrong', () => {
  it.each([
    ['of no known type', { ...anEvent('tool_call'), type: 'coffee_break' }],
    ['with too many tokens', anEvent('model_call', { inputTokens: 1e12 })],
    ['with a field that is none', anEvent('tool_call', { colour: 'red' })],
    ['in the future', anEvent('tool_call', { at: '2026-11-16T00:00:00.000Z' })],
    ['for somebody else', anEvent('tool_call', { userEmail: 'somebody@example.com' })],
  ])('%s is rejected by itself', async (_, wrong) => {
    const result = await report([anEvent('tool_call'), wrong]);
    expect(result).toMatchObject({ accepted: 1, rejectedCount: 1 });
    expect(result.rejected).toMatchObject([{ index: 1, id: wrong.id, error: expect.any(String) }]);
  });

  it('cannot put itself into another session', async () => {
    const other = await givenSession(app, ada, session.computerId);
    const event = anEvent('model_call', { ...MODEL_CALL, sessionId: other.id });
    await report([event]);
    expect((await tokenUsage(other)).inputTokens).toBe(0);
    expect(await storedEvents(app, org.id, [event.id])).toMatchObject([{ sessionKey: session.id }]);
  });
});
