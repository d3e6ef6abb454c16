import { readFileSync } from 'node:fs';
import type { GivenOrganization } from '../support/given.js';
import { anEvent } from '../support/given-events.js';
import { givenMessage, givenSession } from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import { RelayAgent } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start({ clock });
});
beforeEach(async () => {
  org = await app.given.organization();
});
afterAll(() => app.stop());

/** Of every model call: written to the cache for an hour, the reported cost in pico-dollars, whether it is a sum. */
async function stored(): Promise<[number | null, string | null, boolean | null][]> {
  const rows = await query<{ hour: number | null; cost: string | null; isSum: boolean | null }>(
    app.database.url,
    `SELECT e.cache_write_1h_tokens AS hour, e.reported_cost AS cost, e.is_sum AS "isSum"
       FROM events e WHERE e.org_id = $1 AND e.input_tokens IS NOT NULL ORDER BY e.at, e.cache_write_1h_tokens`,
    [org.id],
  );
  return rows.map(({ hour, cost, isSum }) => [hour, cost, isSum]);
}

const send = (events: object[]) => app.as(org.owner).post('/api/v1/ingest/events', { events });

describe('a model call', () => {
  it('keeps what was written to the cache for an hour, and whether that is known', async () => {
    const cached = { inputTokens: 100, cacheWriteTokens: 50 };
    const events = [{ ...cached, cacheWrite1hTokens: 0 }, { ...cached, cacheWrite1hTokens: 50 }, cached];
    const { body } = await send(events.map((fields) => anEvent('model_call', fields)));
    expect(body.accepted).toBe(3);
    expect(await stored()).toEqual([
      [0, null, null],
      [50, null, null],
      [null, null, null],
    ]);
  });

  it('keeps it also when it comes with events that were sent before', async () => {
    const before = anEvent('model_call');
    await send([before]);
    const { body } = await send([before, anEvent('model_call', { cacheWriteTokens: 5, cacheWrite1hTokens: 5 })]);
    expect([body.accepted, body.duplicates]).toEqual([1, 1]);
    expect(await stored()).toEqual([
      [5, null, null],
      [null, null, null],
    ]);
  });

  it('of Claude Code has the cost that it reports, apart from everything else', async () => {
    const sample = JSON.parse(readFileSync('test/fixtures/otlp/claude-code-logs.json', 'utf8')) as object;
    expect((await app.as(org.owner).post('/api/otlp/v1/logs', sample)).status).toBe(200);
    const calls = await stored();
    expect(calls).toHaveLength(8);
    // 0.045 dollars is what the metric of the same run says.
    expect(calls.reduce((sum, [, cost]) => sum + BigInt(cost ?? 0), 0n)).toBe(45_000_000_000n);
    expect(calls.every(([, , isSum]) => isSum === null)).toBe(true);
  });

  it('that the agent client reports is the sum of a turn', async () => {
    const session = await givenSession(app, org.owner);
    const agent = await RelayAgent.connect(app.url, org.owner.key, session.computerId);
    try {
      await givenMessage(app, session, 'Hello');
      await agent.turn();
      const events = [anEvent('model_call'), anEvent('git_commit')];
      await agent.relay.call('usage.report', { sessionId: session.id, events });
      expect(await stored()).toEqual([[null, null, true]]);
    } finally {
      await agent.end();
    }
  });
});
