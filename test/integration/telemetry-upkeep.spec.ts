import { EventStorageJob } from '../../src/modules/ingest/event-storage.job.js';
import { IntakeCounts } from '../../src/modules/ingest/intake/intake-counts.js';
import { OrganizationRemovalService } from '../../src/modules/organization/organizations/organization-removal.service.js';
import { Claims } from '../../src/modules/telemetry/claims/claims.js';
import { SourceCounts } from '../../src/modules/telemetry/sources/source-counts.js';
import { TelemetryUpkeepJob } from '../../src/modules/telemetry/telemetry-upkeep.job.js';
import type { GivenOrganization } from '../support/given.js';
import { startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { otlpSample, signalOf } from '../support/otlp-requests.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const NOW = '2026-11-15T08:30:00.000Z';
const TABLES = ['intake_days', 'telemetry_sources', 'telemetry_claims', 'claim_days'];
const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await startUsageApp({ clock, env: { EVENT_RETENTION_DAYS: '30' } });
});
beforeEach(async () => {
  clock.set(NOW);
  await query(app.database.url, 'TRUNCATE job_runs');
  org = await app.given.organization();
});
afterAll(() => app.stop());

async function send(to: TestApp, name: string): Promise<void> {
  const body = otlpSample(name);
  expect((await to.as(org.owner).post(`/api/otlp/v1/${signalOf(body)}`, body)).status).toBe(200);
}

async function flush(): Promise<void> {
  for (const counts of [IntakeCounts, SourceCounts, Claims])
    await app.nest.get<{ flush(): Promise<void> }>(counts).flush();
}

async function filledTables(): Promise<string[]> {
  const filled: string[] = [];
  for (const table of TABLES) {
    const rows = await query(app.database.url, `SELECT 1 FROM ${table} t WHERE t.org_id = $1 LIMIT 1`, [org.id]);
    if (rows.length > 0) filled.push(table);
  }
  return filled;
}

async function runJobs(): Promise<void> {
  await query(app.database.url, 'TRUNCATE job_runs');
  await app.nest.get(TelemetryUpkeepJob).run();
  await app.nest.get(EventStorageJob).run();
}

describe('counters, sources and claims', () => {
  it('are kept as long as raw events', async () => {
    await send(app, 'claude-code-logs');
    await flush();
    clock.set('2026-12-14T08:30:00.000Z');
    await runJobs();
    expect(await filledTables()).toEqual(TABLES);
    clock.set('2026-12-16T08:30:00.000Z');
    await runJobs();
    expect(await filledTables()).toEqual([]);
  });

  it('go with their organization, also those that are still to be written', async () => {
    await send(app, 'claude-code-logs');
    await flush();
    await send(app, 'codex-logs');
    await app.nest.get(OrganizationRemovalService).remove(org.id);
    await flush();
    expect(await filledTables()).toEqual([]);
  });

  it('of a replica that is stopped are written before it ends', async () => {
    const replica = await TestApp.start({ clock, database: app.database });
    await send(replica, 'claude-code-logs');
    await replica.stop();
    expect(await filledTables()).toEqual(TABLES);
  });

  it('of two replicas are added up, and numbers count once', async () => {
    const replica = await TestApp.start({ clock, database: app.database });
    await Promise.all([send(app, 'claude-code-logs'), send(replica, 'claude-code-logs')]);
    await Promise.all([flush(), replica.stop()]);
    const [sums] = await query(
      app.database.url,
      `SELECT c.numbered::int, c.numbered_seen::int AS seen, (i.terminal_ui + i.web + i.headless)::int AS arrived,
              i.duplicates::int FROM claim_days c
         JOIN intake_days i ON i.org_id = c.org_id AND i.day = c.day AND i.agent = c.agent WHERE c.org_id = $1`,
      [org.id],
    );
    expect(sums).toEqual({ numbered: 38, seen: 38, arrived: 24, duplicates: 24 });
  });

  it('wait while they cannot be written', async () => {
    await send(app, 'claude-code-logs');
    await query(app.database.url, `ALTER TABLE intake_days RENAME TO intake_days_gone`);
    try {
      await flush();
    } finally {
      await query(app.database.url, `ALTER TABLE intake_days_gone RENAME TO intake_days`);
    }
    await flush();
    expect(await filledTables()).toEqual(TABLES);
  });
});
