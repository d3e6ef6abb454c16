import pg from 'pg';
import { cpuSeconds, residentMiB, startCluster } from './cluster.mjs';
import { measure, timed } from './load.mjs';
import { issueKey, ratio, serviceEnv, startProcess, stopProcesses } from './processes.mjs';
import { FIRST_DAY, LAST_DAY, orgId, ownerId, seedFacts, statements } from './questions-seed.mjs';

/*
 * What summaries and breakdowns cost above the one SQL statement over facts that returns the same rows. Every figure is a ratio
 * within this one run; BENCH_SCALE=0.1 runs with a tenth of the people.
 */
const scale = Number(process.env.BENCH_SCALE ?? 1);
const LARGE = { n: 1, people: Math.round(20_000 * scale), from: FIRST_DAY };
const SMALL = { n: 2, people: 1_000, from: '2026-08-16' };
const RUNS = Number(process.env.BENCH_RUNS ?? 5);

const cluster = await startCluster();
const began = Date.now();
const progress = (what) => console.error(`${what} (${Math.round((Date.now() - began) / 1000)} s)`);
try {
  await seedFacts(cluster, [LARGE, SMALL], progress);
  const env = { ...serviceEnv(cluster), ANALYTICS_FIRST_DAY: FIRST_DAY };
  const service = await startProcess(['dist/main.js'], env, /API\s+(http\S+)/);
  console.log(`Data: ${LARGE.people} people on 366 days, ${SMALL.people} on 90; Node ${process.version}`);
  await compareWithSql(service);
  await measureSmall(service);
} finally {
  await stopProcesses();
  await cluster.stop();
}

async function compareWithSql(service) {
  const org = orgId(LARGE.n);
  const headers = {
    authorization: `Bearer ${await issueKey(cluster, { id: org, userId: ownerId(LARGE.n) })}`,
  };
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  const memory = await residentMiB(service.pid);
  const table = {};
  for (const [days, from, target] of [
    [366, FIRST_DAY, '2'],
    [28, '2026-10-17', '200 ms'],
  ]) {
    for (const [path, sql] of Object.entries(statements(org, from))) {
      const floor = await median(() => client.query(sql), service);
      const full = await median((run) => get(`${service.url}${pathOf(path, from, run)}`, headers), service);
      table[`${path.replace('breakdown?dimension=', '').replace('&metric=', ' x ')}, ${days} days`] = {
        ms: Math.round(full.wall * 1000),
        'SQL ms': Math.round(floor.wall * 1000),
        'ms / SQL': ratio(full.wall, floor.wall),
        'CPU ms': Math.round(full.cpu * 1000),
        'CPU / SQL': ratio(full.cpu, floor.cpu),
        target,
      };
      progress(path);
    }
  }
  table['memory of the service, MiB'] = {
    ms: `${Math.round(memory)} -> ${Math.round(await residentMiB(service.pid))}`,
  };
  await client.end();
  console.table(table);
}

async function measureSmall(service) {
  const org = orgId(SMALL.n);
  const headers = {
    authorization: `Bearer ${await issueKey(cluster, { id: org, userId: ownerId(SMALL.n) })}`,
  };
  const table = {};
  for (const path of Object.keys(statements(org, SMALL.from))) {
    let asked = 0;
    const makeRequest = () => ({ path: pathOf(path, SMALL.from, asked++), headers });
    const { p50, p99 } = await measure({ ...service, cluster, count: 200, makeRequest });
    table[path] = { 'p50 ms': p50.toFixed(1), 'p99 ms': p99.toFixed(1), target: 'p99 100' };
  }
  console.log(`${SMALL.people} people, 90 days, 8 at a time`);
  console.table(table);
}

/** A question that nobody has asked before, because answers are kept: the last day, the limit or the first day differ. */
function pathOf(path, from, run) {
  const range = `startDate=${addDays(from, Math.floor(run / 20))}&endDate=${addDays(LAST_DAY, -(run % 20))}`;
  return `/api/v1/analytics/${path}${path.includes('?') ? '&limit=20&' : '?'}${range}`;
}

function addDays(day, days) {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

async function get(url, headers) {
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
}

/** Seconds of the median run, and the mean of CPU seconds of service and database. */
async function median(work, service) {
  await work(0);
  const cpu = async () => (await cpuSeconds(service.pid)) + (await cluster.cpuSeconds());
  const before = await cpu();
  const times = [];
  for (let i = 0; i < RUNS; i++) times.push(await timed(() => work(i + 1)));
  return { wall: times.sort((a, b) => a - b)[Math.floor(RUNS / 2)], cpu: ((await cpu()) - before) / RUNS };
}
