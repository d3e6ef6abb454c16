import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { eventPartition } from '../../dist/modules/ingest/event-codes.js';
import { cpuSeconds, startCluster } from './cluster.mjs';
import { measureDuckDb } from './duckdb.mjs';
import { measureIngest } from './ingest.mjs';
import { measure, timed } from './load.mjs';
import { issueKey, ratio, serviceEnv, startProcess, stopProcesses } from './processes.mjs';
import { LARGEST, seedDay, seedOrganizations, usersFor } from './usage-seed.mjs';

/*
 * What ingest, aggregation and the analytics reads cost above their floors. Every figure is a ratio within this one run.
 * BENCH_SCALE=0.1 runs on a tenth of the data.
 */
const scale = Number(process.env.BENCH_SCALE ?? 1);
const EVENTS = Math.round(10_000_000 * scale);
const DAYS = 300;
const [SMALL_DAY, LARGE_DAY] = ['2026-01-17', '2026-01-18'];
const OWNER = { id: LARGEST, userId: '00010000-0000-7000-8000-000000000001' };

const cluster = await startCluster();
const began = Date.now();
const progress = (what) => console.error(`${what} (${Math.round((Date.now() - began) / 1000)} s)`);
try {
  const users = usersFor(EVENTS);
  const { largest } = await seedOrganizations(cluster, users);
  await seedDay(cluster, { day: SMALL_DAY, events: EVENTS / 10, users: Math.ceil(users / 4), progress });
  await seedDay(cluster, { day: LARGE_DAY, events: EVENTS, users, progress });
  console.log(`Data: a day of ${EVENTS} events, ${users} users, 200 organizations; Node ${process.version}`);
  await reportAggregation();
  const key = await issueKey(cluster, OWNER);
  const service = await startProcess(['dist/main.js'], serviceEnv(cluster), /API\s+(http\S+)/);
  console.table(
    await measureIngest({ cluster, service, key, day: LARGE_DAY, events: 100_000, users: largest, progress }),
  );
  await repeatDay();
  await reportReads(service, key);
} finally {
  await stopProcesses();
  await cluster.stop();
}

async function reportAggregation() {
  const count = await best(3, () =>
    timed(() =>
      cluster.query(`SET max_parallel_workers_per_gather = 0; SELECT count(*) FROM ${eventPartition(LARGE_DAY)}`),
    ),
  );
  const runs = {};
  for (const day of [SMALL_DAY, LARGE_DAY]) {
    const env = { ...serviceEnv(cluster), DAY: day };
    const database = await cluster.cpuSeconds();
    const { output } = await runToEnd(['test/bench/aggregate.mjs'], env);
    await sleep(1_000); // a backend that is just ending would count twice
    const { wall, cpu } = JSON.parse(output);
    runs[day] = { wall, cpu: cpu + (await cluster.cpuSeconds()) - database };
    progress(`aggregated ${day}`);
  }
  const csv = join(tmpdir(), `agent-platform-bench-${process.pid}.csv`);
  await exportCsv(csv);
  const duck = await measureDuckDb(csv, availableParallelism());
  await rm(csv);
  const [totals] = await cluster.query(
    `SELECT count(*)::int AS users, sum((u.body::json ->> 'tool_calls')::float8) AS tools,
            sum((u.body::json ->> 'billable_tokens')::float8) AS billable FROM user_days u WHERE u.day = '${LARGE_DAY}'`,
  );
  if (JSON.stringify(totals) !== JSON.stringify(duck.totals)) {
    throw new Error(`DuckDB disagrees: ${JSON.stringify(duck.totals)} instead of ${JSON.stringify(totals)}`);
  }
  const [small, large] = [runs[SMALL_DAY], runs[LARGE_DAY]];
  console.table({
    'count(*), serial': { 'wall s': count.toFixed(2) },
    'aggregation, a tenth': { 'wall s': small.wall.toFixed(1), 'CPU s': small.cpu.toFixed(1) },
    aggregation: { 'wall s': large.wall.toFixed(1), 'CPU s': large.cpu.toFixed(1) },
    DuckDB: { 'wall s': duck.wall.toFixed(1), 'CPU s': duck.cpu.toFixed(1) },
    'wall / count(*)': { 'wall s': ratio(large.wall, count), target: '25' },
    'CPU / DuckDB': { 'CPU s': ratio(large.cpu, duck.cpu), target: '4' },
    'growth to ten times the events': {
      'wall s': ratio(large.wall, small.wall),
      'CPU s': ratio(large.cpu, small.cpu),
      target: '11',
    },
  });
}

/** The largest organization gets many days like the one that was computed. */
async function repeatDay() {
  const days = `generate_series(date '${LARGE_DAY}' + 1, date '${LARGE_DAY}' + ${DAYS - 1}, '1 day') AS g (day)`;
  const columns = `version, activity_version, computed_at, daily_users, weekly_users, monthly_users, terminal_ui_users, web_users,
      headless_users, sessions, user_messages, assistant_messages, fact_rules`;
  await cluster.query(`INSERT INTO analytics_days (org_id, day, ${columns}) SELECT d.org_id, g.day::date, ${columns}
    FROM analytics_days d, ${days} WHERE d.org_id = '${LARGEST}' AND d.day = '${LARGE_DAY}'
    ON CONFLICT (org_id, day) DO UPDATE SET version = excluded.version, activity_version = excluded.activity_version`);
  const { version } = (
    await cluster.query(`SELECT version FROM analytics_days WHERE org_id = '${LARGEST}' AND day = '${LARGE_DAY}'`)
  )[0];
  await cluster.query(`INSERT INTO day_documents SELECT x.org_id, x.kind, g.day::date, x.version, x.stored_bytes,
      replace(x.body, '${LARGE_DAY}', g.day::date::text), x.fragment, x.plain_bytes, x.plain_crc
    FROM day_documents x, ${days} WHERE x.org_id = '${LARGEST}' AND x.day = '${LARGE_DAY}' AND x.version = ${version}`);
  progress(`documents of ${DAYS} days`);
  await cluster.query(`INSERT INTO user_days SELECT u.org_id, u.user_id, g.day::date, u.version, replace(u.body, '${LARGE_DAY}', g.day::date::text)
    FROM user_days u, ${days} WHERE u.org_id = '${LARGEST}' AND u.day = '${LARGE_DAY}' AND u.version = ${version}
      AND (hashtext(u.user_id::text) + extract(doy FROM g.day)::int) % 5 < 3`);
  progress(`user rows of ${DAYS} days`);
  await cluster.query(`CREATE TABLE bench_activity AS SELECT d.day, json_build_object('date', d.day, 'daily_active_users', d.daily_users,
      'weekly_active_users', d.weekly_users, 'monthly_active_users', d.monthly_users, 'daily_active_users_by_client',
      json_build_object('terminal-ui', d.terminal_ui_users, 'web', d.web_users, 'non-interactive-cli', d.headless_users),
      'sessions', d.sessions, 'messages', d.user_messages, 'user_messages', d.user_messages)::text AS body
    FROM analytics_days d WHERE d.org_id = '${LARGEST}'`);
  await cluster.query('VACUUM ANALYZE');
  await cluster.query('CHECKPOINT');
}

async function reportReads(service, key) {
  const end = new Date(Date.parse(`${LARGE_DAY}T00:00:00Z`) + (DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
  const range = `startDate=${LARGE_DAY}&endDate=${end}`;
  const headers = { authorization: `Bearer ${key}` };
  const bare = await startProcess(
    ['test/bench/bare-documents.mjs'],
    { URL: cluster.url, ORG: LARGEST, START: LARGE_DAY, END: end },
    /(\d+)/,
  );
  const table = {};
  for (const path of ['tools', 'activity', 'productivity']) {
    const floor = await measure({ ...bare, cluster, count: 1000, makeRequest: () => ({ path: `/${path}` }) });
    const full = await measure({
      ...service,
      cluster,
      count: 1000,
      makeRequest: () => ({ path: `/api/v1/analytics/${path}?${range}`, headers }),
    });
    table[`/${path}, ${DAYS} days`] = {
      'p50 ms': full.p50.toFixed(1),
      'p99 ms': full.p99.toFixed(1),
      'floor p99 ms': floor.p99.toFixed(1),
      'p99 / floor': ratio(full.p99, floor.p99),
      'CPU / floor': ratio(cpuOf(full), cpuOf(floor)),
      target: 'p99 2',
    };
    progress(`measured ${path}`);
  }
  const last = await lastCursor();
  const users = (cursor) => ({ path: `/api/v1/analytics/users?${range}${cursor}`, headers });
  const first = await measure({ ...service, cluster, count: 100, makeRequest: () => users('') });
  const final = await measure({ ...service, cluster, count: 100, makeRequest: () => users(`&cursor=${last}`) });
  table['/users, last page / first'] = {
    'p50 ms': final.p50.toFixed(1),
    'p99 / floor': ratio(final.p99, first.p99),
    'CPU / floor': ratio(cpuOf(final), cpuOf(first)),
    target: 'CPU 1.2',
  };

  const { headers: known } = await head(`${service.url}/api/v1/analytics/tools?${range}`, headers);
  const row = await measure({ ...bare, cluster, count: 4000, makeRequest: () => ({ path: '/row' }) });
  const unchanged = await measure({
    ...service,
    cluster,
    count: 4000,
    makeRequest: () => ({
      path: `/api/v1/analytics/tools?${range}`,
      headers: { ...headers, 'if-none-match': known.etag },
    }),
  });
  table['304'] = {
    'p50 ms': unchanged.p50.toFixed(2),
    'p99 / floor': ratio(unchanged.p99, row.p99),
    'CPU / floor': ratio(cpuOf(unchanged), cpuOf(row)),
    target: 'CPU 1.5',
  };

  const floor = await best(3, () => download(`${bare.url}/fragments`, {}, bare.pid));
  const tokens = await best(3, () =>
    download(`${service.url}/api/v1/analytics/tokens?${range}`, { ...headers, 'accept-encoding': 'gzip' }, service.pid),
  );
  table[`/tokens, ${DAYS} days, ${Math.round(tokens.bytes / 1e6)} MB of gzip`] = {
    'p50 ms': Math.round(tokens.seconds * 1000),
    'CPU / floor': ratio(tokens.cpu, floor.cpu),
    'RSS MiB': `${tokens.rssBefore} -> ${tokens.rssPeak}`,
    target: 'CPU 1.5',
  };
  console.table(table);
}

async function lastCursor() {
  const rows = await cluster.query(
    `SELECT x.user_id AS id FROM (SELECT DISTINCT u.user_id FROM user_days u WHERE u.org_id = '${LARGEST}' AND u.day > '${LARGE_DAY}') x
      ORDER BY 1 DESC OFFSET 20 LIMIT 1`,
  );
  return rows[0].id;
}

/** Downloads without looking at what comes; CPU of the server and the database, and how much memory the server takes. */
async function download(url, headers, pid) {
  const [node, database, startedAt] = [await cpuSeconds(pid), await cluster.cpuSeconds(), performance.now()];
  const rssBefore = await rss(pid);
  let rssPeak = rssBefore;
  const timer = setInterval(async () => (rssPeak = Math.max(rssPeak, await rss(pid))), 50);
  const bytes = await new Promise((resolve, reject) => {
    httpGet(url, { headers }, (response) => {
      let size = 0;
      response
        .on('data', (chunk) => (size += chunk.length))
        .on('end', () => resolve(size))
        .on('error', reject);
    }).on('error', reject);
  });
  clearInterval(timer);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    bytes,
    seconds,
    rssBefore,
    rssPeak,
    cpu: (await cpuSeconds(pid)) - node + (await cluster.cpuSeconds()) - database,
  };
}

async function rss(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024);
}

function head(url, headers) {
  return fetch(url, { method: 'HEAD', headers: { ...headers, 'accept-encoding': 'identity' } }).then((response) => ({
    headers: { etag: response.headers.get('etag') },
  }));
}

async function exportCsv(file) {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await pipeline(
    client.query(copyStreams.to(`COPY ${eventPartition(LARGE_DAY)} TO STDOUT (FORMAT csv)`)),
    createWriteStream(file),
  );
  await client.end();
}

async function runToEnd(args, env) {
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  return { output };
}

async function best(times, work) {
  const results = [];
  for (let i = 0; i < times; i++) results.push(await work());
  const key = (result) => (typeof result === 'number' ? result : result.cpu);
  return results.sort((a, b) => key(a) - key(b))[0];
}

function cpuOf({ nodeUs, postgresUs }) {
  return nodeUs + postgresUs;
}
