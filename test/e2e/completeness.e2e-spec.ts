import { Role } from '../../src/common/access/role.enum.js';
import { IntakeCounts } from '../../src/modules/ingest/intake/intake-counts.js';
import { Claims } from '../../src/modules/telemetry/claims/claims.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { aggregate, ANALYTICS, modelCall, rawGet, report, startUsageApp } from '../support/given-usage.js';
import { itLong } from '../support/long.js';
import { ManualClock } from '../support/manual-clock.js';
import { type OtlpBody, otlpSample, replaced, signalOf, splitRequest } from '../support/otlp-requests.js';
import type { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

/** The samples are of the evening before. */
const NOW = '2026-11-15T08:30:00.000Z';
const DAY = '2026-11-14';
const PATH = `${ANALYTICS}/completeness?startDate=${DAY}&endDate=${DAY}`;
const UNKNOWN = { value: null, basis: 'none', missing: null, unit: null };
const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;
let member: GivenUser;

beforeAll(async () => {
  app = await startUsageApp({ clock });
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
  member = await app.given.user(org, { role: Role.Member });
});
afterAll(() => app.stop());

async function send(bodies: OtlpBody[], user = member): Promise<void> {
  for (const body of bodies) {
    const { status } = await app.as(user).post(`/api/otlp/v1/${signalOf(body)}`, body);
    expect(status).toBe(200);
  }
}

async function written(): Promise<void> {
  await app.nest.get(IntakeCounts).flush();
  await app.nest.get(Claims).flush();
}

async function rowsOf(path = PATH): Promise<Record<string, Record<string, unknown>>> {
  await written();
  const { status, body } = await app.as(org.owner).get(path);
  expect(status).toBe(200);
  return Object.fromEntries((body.data as { client: string }[]).map((row) => [row.client, row]));
}

const coverageOf = async (client: string) => (await rowsOf())[client]?.coverage;
const records = (name: string) => splitRequest(otlpSample(name));
const without = (bodies: OtlpBody[], text: string) => bodies.filter((body) => !JSON.stringify(body).includes(text));
const sequence = (number: number) => `"event.sequence","value":{"intValue":"${number}"}`;

describe('the numbers of Claude Code', () => {
  it('cover all of a complete capture', async () => {
    await send([otlpSample('claude-code-logs')]);
    expect(await coverageOf('claude-code')).toEqual({ value: 1, basis: 'sequence', missing: 0, unit: 'events' });
  });

  it('tell how many records were lost on the way', async () => {
    await send(without(without(records('claude-code-logs'), sequence(10)), sequence(20)));
    const coverage = await coverageOf('claude-code');
    expect(coverage).toEqual({ value: 0.947368, basis: 'sequence', missing: 2, unit: 'events' });
  });

  it('are complete again when what was lost comes late', async () => {
    const all = records('claude-code-logs');
    await send(without(all, sequence(10)));
    await written();
    await send(all.filter((body) => !without([body], sequence(10)).includes(body)));
    expect(await coverageOf('claude-code')).toMatchObject({ value: 1, missing: 0 });
  });

  it('count once however often, in whatever order and through whichever process they come', async () => {
    const all = records('claude-code-logs');
    await send(all.slice(20));
    await written();
    await send([...all].reverse());
    await written();
    await send([otlpSample('claude-code-logs')]);
    expect(await coverageOf('claude-code')).toMatchObject({ value: 1, missing: 0 });
    const [sums] = await query(
      app.database.url,
      `SELECT c.numbered::int, c.numbered_seen::int AS seen FROM claim_days c WHERE c.org_id = $1`,
      [org.id],
    );
    expect(sums).toEqual({ numbered: 38, seen: 38 });
  });

  it('begin anew in a resumed session, where a gap is not hidden by the run before', async () => {
    const first = otlpSample('claude-code-logs');
    const later = records('claude-code-logs').map((body) => replaced(body, /"17947001(\d\d)/g, '"17947005$1'));
    await send([first, ...without(later, sequence(10))]);
    expect(await coverageOf('claude-code')).toMatchObject({ basis: 'sequence', missing: 1, value: 0.986842 });
  });

  it('of refused records have not arrived', async () => {
    const all = records('claude-code-logs');
    const prompt = all.findIndex((body) => JSON.stringify(body).includes('"user_prompt"'));
    const future = replaced(all[prompt] ?? {}, /"timeUnixNano":"\d+"/g, '"timeUnixNano":"4102444800000000000"');
    await send([...all.slice(0, prompt), future, ...all.slice(prompt + 1)]);
    expect(await coverageOf('claude-code')).toMatchObject({ missing: 1 });
  });
});

describe('the counters of Claude Code', () => {
  it('agree with the logs of a complete capture', async () => {
    await send([otlpSample('claude-code-logs'), otlpSample('claude-code-metrics')]);
    expect(await coverageOf('claude-code')).toMatchObject({ value: 1, basis: 'both', missing: 0 });
  });

  it('are not added twice when an export is sent again', async () => {
    const metrics = otlpSample('claude-code-metrics');
    await send([otlpSample('claude-code-logs'), metrics, metrics]);
    await written();
    await send([metrics]);
    expect(await coverageOf('claude-code')).toMatchObject({ value: 1, missing: 0 });
  });

  it('show a lost end, which the numbers cannot', async () => {
    const all = records('claude-code-logs');
    await send([...all.slice(0, 20), otlpSample('claude-code-metrics')]);
    // 3 of 8 calls with 2,442 tokens each have arrived.
    const coverage = { value: 0.375, basis: 'both', missing: 5 * 2_442, unit: 'tokens' };
    expect(await coverageOf('claude-code')).toEqual(coverage);
  });

  it('show an agent whose logs do not come at all', async () => {
    await send([otlpSample('claude-code-metrics')]);
    expect(await coverageOf('claude-code')).toMatchObject({ value: 0, basis: 'counters', missing: 8 * 2_442 });
  });

  it('are compared with their own session alone', async () => {
    await send([otlpSample('claude-code-logs'), otlpSample('claude-code-metrics')]);
    await send([otlpSample('claude-code-logs-default-redaction-slash')]); // another session, without metrics
    expect(await coverageOf('claude-code')).toMatchObject({ value: 1, basis: 'both', missing: 0 });
  });

  it('never become usage', async () => {
    await send([otlpSample('claude-code-metrics')]);
    const found = await query(
      app.database.url,
      `SELECT 1 FROM events e WHERE e.org_id = $1 AND e.input_tokens IS NOT NULL`,
      [org.id],
    );
    expect(found).toEqual([]);
  });
});

describe('the counters of Gemini CLI', () => {
  /** Of the session in the logs. */
  const cumulative = () =>
    replaced(
      replaced(otlpSample('gemini-cli-metrics-cumulative'), 'uuid-0009', 'uuid-0007'),
      /"1794700080/g,
      '"1794700226',
    );
  /** An export after the first of the two calls: half of everything. */
  const half = () =>
    JSON.parse(
      JSON.stringify(cumulative(), (key, value: unknown) =>
        key === 'asDouble' || key === 'asInt' ? String(Number(value) / 2) : value,
      ).replaceAll(/"timeUnixNano":"1794700226(\d)/g, '"timeUnixNano":"1794700225$1'),
    ) as OtlpBody;

  it('agree with the logs of a complete capture, as deltas and as cumulative sums', async () => {
    await send([otlpSample('gemini-cli-logs'), otlpSample('gemini-cli-metrics-delta')]);
    const complete = { value: 1, basis: 'counters', missing: 0, unit: 'tokens' };
    expect(await coverageOf('gemini-cli')).toEqual(complete);

    org = await app.given.organization();
    await send([otlpSample('gemini-cli-logs'), half(), cumulative(), cumulative(), half()], org.owner);
    expect(await coverageOf('gemini-cli')).toEqual(complete);
  });

  it('heal when one of their own exports is lost', async () => {
    await send([otlpSample('gemini-cli-logs'), cumulative()]);
    expect(await coverageOf('gemini-cli')).toMatchObject({ value: 1 });
  });

  it('tell what is missing when an export of logs is lost', async () => {
    const logs = records('gemini-cli-logs');
    const last = logs.findLastIndex((body) => JSON.stringify(body).includes('"gemini_cli.api_response"'));
    await send([...logs.slice(0, last), ...logs.slice(last + 1), cumulative()]);
    const coverage = { value: 0.5, basis: 'counters', missing: 1_060, unit: 'tokens' };
    expect(await coverageOf('gemini-cli')).toEqual(coverage);
  });
});

describe('the counters of Codex', () => {
  it('are compared by credential, in model calls', async () => {
    await send([otlpSample('codex-logs'), otlpSample('codex-metrics'), otlpSample('codex-metrics')]);
    const complete = { value: 1, basis: 'counters', missing: 0, unit: 'model_calls' };
    expect(await coverageOf('codex')).toEqual(complete);

    const other = await app.given.user(org, { role: Role.Member });
    await send([otlpSample('codex-metrics')], other);
    expect(await coverageOf('codex')).toEqual({ ...complete, value: 0.5, missing: 2 });
  });

  it('are above 1 when more arrives than is claimed, and not capped', async () => {
    const other = replaced(otlpSample('codex-logs'), 'uuid-0010', 'uuid-0011');
    await send([otlpSample('codex-logs'), other, otlpSample('codex-metrics')]);
    expect(await coverageOf('codex')).toMatchObject({ value: 2, missing: 0 });
  });
});

describe('completeness', () => {
  it('is unknown, not 1, for agents that claim nothing', async () => {
    await send([otlpSample('opencode-traces-excerpt')]);
    await report(app.as(org.owner), [modelCall(org.owner, DAY)]);
    const rows = await rowsOf();
    expect([rows.opencode?.coverage, rows['ingest-api']?.coverage]).toEqual([UNKNOWN, UNKNOWN]);
  });

  it('counts what arrived by client, what came twice, what was refused and what was ignored', async () => {
    const events = [modelCall(org.owner, DAY, { client: 'web' }), modelCall(org.owner, DAY)];
    await report(app.as(org.owner), events);
    await report(app.as(org.owner), events);
    await app.as(org.owner).post('/api/v1/ingest/events', { events: [{ id: 'none' }] });
    clock.advance(24 * 60 * 60 * 1000); // the refused one arrived on the next day
    const both = `${ANALYTICS}/completeness?startDate=${DAY}&endDate=2026-11-15`;
    await written();
    const { body } = await app.as(org.owner).get(both);
    const row = { client: 'ingest-api', ignored: 0, coverage: UNKNOWN };
    expect(body.data).toEqual([
      {
        ...row,
        ...{ date: DAY, arrived: 2, by_client: { terminal_ui: 0, web: 1, non_interactive_cli: 1 } },
        ...{ duplicates: 2, rejected: 0 },
      },
      {
        ...row,
        ...{ date: '2026-11-15', arrived: 0, by_client: { terminal_ui: 0, web: 0, non_interactive_cli: 0 } },
        ...{ duplicates: 0, rejected: 1 },
      },
    ]);
    expect(body.meta).toEqual({
      org_id: org.id,
      start_date: DAY,
      end_date: '2026-11-15',
      data_as_of: expect.any(String),
      revision: expect.any(String),
    });
  });

  it('adds up to the stored events: what no client accounts for is (other)', async () => {
    await send([otlpSample('claude-code-logs')]);
    await written();
    await query(app.database.url, `UPDATE intake_days i SET headless = headless - 3 WHERE i.org_id = $1`, [org.id]);
    await aggregate(app);
    const rows = await rowsOf();
    const [stored] = await query<{ count: number }>(
      app.database.url,
      `SELECT count(*)::int AS count FROM events e WHERE e.org_id = $1`,
      [org.id],
    );
    expect(rows['(other)']).toMatchObject({ arrived: 3, by_client: { non_interactive_cli: 3 }, coverage: UNKNOWN });
    expect(Object.values(rows).reduce((sum, row) => sum + Number(row.arrived), 0)).toBe(stored?.count);
  });

  it('is unknown, not 0, for a day whose raw events were gone before there were counters', async () => {
    await query(app.database.url, `INSERT INTO event_days (day, dropped_at) VALUES ('2026-10-01', now())`);
    await query(
      app.database.url,
      `INSERT INTO analytics_days (org_id, day, version, activity_version, computed_at) VALUES ($1, '2026-10-01', 1, 1, now())`,
      [org.id],
    );
    const rows = await rowsOf(`${ANALYTICS}/completeness?startDate=2026-10-01&endDate=2026-10-01`);
    expect(rows['(other)']).toMatchObject({ arrived: null, by_client: { web: null }, coverage: UNKNOWN });
  });

  it('has no rows for a day on which nothing arrived', async () => {
    expect(await rowsOf()).toEqual({});
  });

  it('is the same in CSV and NDJSON', async () => {
    await send([otlpSample('claude-code-logs')]);
    const rows = Object.values(await rowsOf());
    const csv = await rawGet(app, org.owner, PATH, { Accept: 'text/csv' });
    const names = 'date,client,arrived,by_client.terminal_ui,by_client.web,by_client.non_interactive_cli,';
    const [header, line] = csv.bytes.toString().split('\r\n');
    expect(header).toBe(
      `${names}duplicates,rejected,ignored,coverage.value,coverage.basis,coverage.missing,coverage.unit`,
    );
    expect(line).toMatch(/^2026-11-14,claude-code,\d+,0,0,\d+,0,0,0,1,sequence,0,events$/);
    const ndjson = await rawGet(app, org.owner, PATH, { Accept: 'application/x-ndjson' });
    expect(JSON.parse(ndjson.bytes.toString())).toEqual(rows[0]);
  });

  it('is a 304 until something arrives', async () => {
    await send([otlpSample('codex-logs')]);
    await rowsOf();
    const { headers, body } = await app.as(org.owner).get(PATH);
    const again = { 'If-None-Match': headers.etag ?? '' };
    expect((await app.as(org.owner).get(PATH, again)).status).toBe(304);
    await send([otlpSample('codex-metrics')]);
    await rowsOf();
    const changed = await app.as(org.owner).get(PATH, again);
    expect(changed.status).toBe(200);
    expect(changed.body.meta.revision).not.toBe(body.meta.revision);
  });

  it('shows nothing of another organization', async () => {
    await send([otlpSample('claude-code-logs'), otlpSample('claude-code-metrics')]);
    await written();
    const other = await app.given.organization();
    const { body } = await app.as(other.owner).get(PATH);
    expect(body.data).toEqual([]);
  });

  it.each([
    ['startDate=2026-11-14', 'endDate'],
    ['startDate=2026-11-14&endDate=2026-11-15', 'endDate'],
    ['startDate=2026-11-14&endDate=2026-02-30', 'endDate'],
    ['startDate=2026-11-14&endDate=2026-11-13', 'startDate'],
    ['startDate=2025-01-01&endDate=2026-11-14', 'endDate'],
    ['startDate=2026-11-14&endDate=2026-11-14&client=codex', 'client'],
  ])('refuses %s and names %s', async (parameters, field) => {
    const { status, body } = await app.as(org.owner).get(`${ANALYTICS}/completeness?${parameters}`);
    expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
  });
});

describe('hostile claims', () => {
  const log = (session: string, number: unknown, timeNano = '1794700185942000000') => ({
    timeUnixNano: timeNano,
    attributes: [
      { key: 'event.name', value: { stringValue: 'tool_decision' } },
      { key: 'session.id', value: { stringValue: session } },
      { key: 'event.sequence', value: number },
    ],
  });
  const request = (logRecords: object[]): OtlpBody => ({
    resourceLogs: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'claude-code' } }] },
        scopeLogs: [{ logRecords }],
      },
    ],
  });

  it.each([
    [{ stringValue: 'NaN' }],
    [{ stringValue: '-1' }],
    [{ intValue: '9007199254740993' }],
    [{ doubleValue: 1.5 }],
    [{ arrayValue: { values: [] } }],
    [{}],
  ])('as the number %j are none', async (number) => {
    await send([request([log('s', number)])]);
    expect(await coverageOf('claude-code')).toBeUndefined();
  });

  itLong('of thousands of sessions are compared up to a bound', async () => {
    const sessions = Array.from({ length: 2_500 }, (_, i) => log(`session ${i}`, { intValue: '7' }));
    for (let from = 0; from < 2_500; from += 500) await send([request(sessions.slice(from, from + 500))]);
    expect(await coverageOf('claude-code')).toMatchObject({ value: 1, basis: 'sequence' });
    const claims = await query(app.database.url, `SELECT 1 FROM telemetry_claims c WHERE c.org_id = $1`, [org.id]);
    expect(claims).toHaveLength(2_000);
  });
});
