import { Role } from '../../src/common/access/role.enum.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { aggregate, ANALYTICS, event, modelCall, rawGet, report, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import type { TestApp } from '../support/test-app.js';

const TODAY = '2026-06-01';
const NOW = `${TODAY}T10:30:00.000Z`;
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

const today = (user = owner) => app.as(user).get(`${ANALYTICS}/today`);
const at = (time: string) => `${TODAY}T${time}:00.000Z`;

describe('today', () => {
  it('is a day of zeros before its first event', async () => {
    const { status, body } = await today();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      date: TODAY,
      billable_tokens: 0,
      active_people: 0,
      sessions: 0,
      cost: '0.000000',
    });
    expect(body.data).toMatchObject({ by_hour: [], by_model: [], top_people: [] });
    expect(body.meta).toMatchObject({ org_id: org.id, as_of: NOW, final: false, currency: 'USD', estimated: true });
  });

  it('counts totals, hours, models and people of the running day only', async () => {
    const ada = await app.given.user(org);
    await report(app.as(owner), [
      modelCall(ada, '2026-05-31T23:59:59.999Z', { inputTokens: 7_000 }),
      modelCall(ada, at('08:10'), { modelId: 'claude-sonnet-4-5', inputTokens: 1_000, outputTokens: 100 }),
      modelCall(ada, at('09:10'), { modelId: 'in-house', inputTokens: 20, outputTokens: 2 }),
      modelCall(owner, at('09:50'), { modelId: 'claude-sonnet-4-5', inputTokens: 500, outputTokens: 50 }),
      event(ada, 'session_started', at('08:00'), { sessionId: 's' }),
      event(ada, 'tool_call', at('08:20'), { tool: 'Read', sessionId: 's' }),
      event(owner, 'user_message', at('09:00')),
    ]);

    const { data, meta } = (await today()).body;
    expect(data).toMatchObject({ input_tokens: 1_520, output_tokens: 152, model_calls: 3, active_people: 2 });
    expect(data).toMatchObject({ sessions: 1, tool_calls: 1, messages: 1, user_messages: 1 });
    // 1,500 and 150 tokens at 3 and 15 dollars a million.
    expect(data.cost).toBe('0.006750');
    expect(meta).toMatchObject({ unpriced_tokens: 22, unpriced_models: ['in-house'], reasons: ['list_price'] });
    expect(data.by_hour).toEqual([
      expect.objectContaining({ hour: 8, input_tokens: 1_000, sessions: 1, tool_calls: 1, active_people: 1 }),
      expect.objectContaining({ hour: 9, input_tokens: 520, sessions: 0, messages: 1, active_people: 2 }),
    ]);
    expect(data.by_model).toEqual([
      expect.objectContaining({
        model_id: 'claude-sonnet-4-5',
        input_tokens: 1_500,
        active_people: 2,
        cost: '0.006750',
      }),
      expect.objectContaining({ model_id: 'in-house', input_tokens: 20, active_people: 1, cost: null }),
    ]);
    expect(data.top_people).toEqual([
      expect.objectContaining({ user_id: ada.id, user_email: ada.email, input_tokens: 1_020, sessions: 1 }),
      expect.objectContaining({ user_id: owner.id, input_tokens: 500, user_messages: 1 }),
    ]);
  });

  it('names the ten people with most billable tokens', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => app.given.user(org)));
    await report(
      app.as(owner),
      people.map((user, i) => modelCall(user, at('08:00'), { inputTokens: 1_000 * (i + 1) })),
    );
    const { data } = (await today()).body;
    expect(data.active_people).toBe(12);
    const expected = people
      .slice(2)
      .reverse()
      .map(({ id }) => id);
    expect(data.top_people.map(({ user_id }: { user_id: string }) => user_id)).toEqual(expected);
  });

  it('has an event within five seconds of its acknowledgement, however often it is asked', async () => {
    await today();
    await report(app.as(owner), [event(owner, 'git_commit', at('10:00'))]);
    const isCounted = async () => {
      clock.advance(50);
      return (await today()).body.data.git_commits === 1;
    };
    await eventually('the event is counted', isCounted, 5_000);
  });

  it('becomes a closed day with the same figures', async () => {
    await report(app.as(owner), [
      modelCall(owner, at('03:00'), { modelId: 'claude-sonnet-4-5', cacheReadTokens: 40, cacheWriteTokens: 30 }),
      event(owner, 'tool_call', at('04:00'), { tool: 'Read' }),
      event(owner, 'session_started', at('04:00'), { sessionId: 's' }),
    ]);
    const running = (await today()).body.data;
    clock.set('2026-06-02T08:00:00.000Z');
    await aggregate(app);

    const closed = await app.as(owner).get(`${ANALYTICS}/summary?startDate=${TODAY}&endDate=${TODAY}`);
    expect(running).toMatchObject(closed.body.data.current);
  });

  it('is a table of hours as CSV and NDJSON', async () => {
    await report(app.as(owner), [modelCall(owner, at('08:10'))]);
    const csv = await rawGet(app, owner, `${ANALYTICS}/today`, { Accept: 'text/csv' });
    const [head, first] = csv.bytes.toString().split('\r\n');
    expect(head).toMatch(/^hour,billable_tokens,input_tokens,/);
    expect(first).toMatch(/^8,110,100,/);
    const lines = await rawGet(app, owner, `${ANALYTICS}/today`, { Accept: 'application/x-ndjson' });
    expect(JSON.parse(lines.bytes.toString())).toMatchObject({ hour: 8, input_tokens: 100 });
  });

  it('is not sent again while it is the same', async () => {
    const { headers } = await rawGet(app, owner, `${ANALYTICS}/today`);
    const again = await rawGet(app, owner, `${ANALYTICS}/today`, { 'If-None-Match': headers.etag ?? '' });
    expect(again.status).toBe(304);
  });

  it('shows nothing of another organization', async () => {
    const other = await app.given.organization();
    await report(app.as(other.owner), [modelCall(other.owner, at('08:00'))]);
    expect((await today()).body.data).toMatchObject({ model_calls: 0, active_people: 0, top_people: [] });
  });

  it('is for owners and managers', async () => {
    const manager = await app.given.user(org, { role: Role.Manager });
    const member = await app.given.user(org, { role: Role.Member });
    expect((await today(manager)).status).toBe(200);
    expect((await today(member)).status).toBe(403);
  });
});

describe('one’s own usage', () => {
  it('has today as a day that is not final', async () => {
    const member = await app.given.user(org, { role: Role.Member });
    await report(app.as(owner), [
      modelCall(member, '2026-05-31', { inputTokens: 100 }),
      modelCall(member, at('09:00'), { inputTokens: 40 }),
      event(member, 'tool_call', at('09:01'), { tool: 'Read' }),
      modelCall(owner, at('09:00'), { inputTokens: 9_999 }),
    ]);
    await aggregate(app);

    const { body } = await app.as(member).get(`/api/v0/me/usage?startDate=2026-05-31&endDate=${TODAY}`);
    expect(body.totals).toMatchObject({ inputTokens: 140, activeDays: 2, toolCalls: 1 });
    expect(body.days).toEqual([
      expect.objectContaining({ date: '2026-05-31', final: true, inputTokens: 100 }),
      expect.objectContaining({ date: TODAY, final: false, inputTokens: 40, toolCalls: 1 }),
    ]);
    expect(body.tools).toEqual([{ tool: 'Read', count: 1 }]);
    expect(body.dataAsOf).toBe(NOW);
  });
});
