import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../dist/app.module.js';
import { UtcDay } from '../../dist/common/time/utc-day.js';
import { loadConfig } from '../../dist/config/load-config.js';
import { connectionTargets } from '../../dist/database/connection-settings.js';
import { DatabaseService } from '../../dist/database/database.service.js';
import { AggregationService } from '../../dist/modules/analytics/aggregation/aggregation.service.js';
import { COUNTED, TOKEN_SUMS } from '../../dist/modules/analytics/aggregation/facts/figures.js';
import { TODAY_FIGURES } from '../../dist/modules/analytics/aggregation/facts/today-facts.sql.js';
import { TodayService } from '../../dist/modules/analytics/questions/today.service.js';
import { eventPartition } from '../../dist/modules/ingest/event-codes.js';
import { startCluster } from './cluster.mjs';
import { ratio, serviceEnv } from './processes.mjs';
import { LARGEST, LARGEST_SHARE, seedDay, seedOrganizations, usersFor } from './usage-seed.mjs';

/*
 * What reading the running day of an organization with 100,000 events costs above one statement with the same sums of all its
 * events, ungrouped. BENCH_SCALE=0.1 runs on a tenth of the data.
 */
const EVENTS = Math.round((100_000 * Number(process.env.BENCH_SCALE ?? 1)) / LARGEST_SHARE);
const DAY = '2026-01-18';
const RUNS = 7;

const cluster = await startCluster();
try {
  await seedOrganizations(cluster, usersFor(EVENTS));
  await seedDay(cluster, { day: DAY, events: EVENTS, users: usersFor(EVENTS), progress: console.error });
  await cluster.query('VACUUM ANALYZE');
  const counts = TODAY_FIGURES.map((figure) => `count(*) FILTER (WHERE ${COUNTED[figure]})`);
  const sums = [...counts, ...Object.values(TOKEN_SUMS)];
  const plain = `SET max_parallel_workers_per_gather = 0; SET jit = off;
    SELECT ${sums.join(', ')} FROM ${eventPartition(DAY)} e WHERE e.org_id = '${LARGEST}'`;
  const app = await startApp();
  const aggregation = app.get(AggregationService);
  const floor = await measure(() => cluster.query(plain));
  const read = await measure(() => aggregation.readToday(LARGEST));
  const answer = await measureAnswer(app.get(TodayService));
  const row = ({ wall, cpu }) => ({ 'wall ms': Math.round(wall * 1000), 'CPU ms': Math.round(cpu * 1000) });
  const above = (one) => ({ 'wall ms': ratio(one.wall, floor.wall), 'CPU ms': ratio(one.cpu, floor.cpu), target: '3' });
  console.table({
    'sums of all events': row(floor),
    'facts of the running day': row(read),
    'facts / sums': above(read),
    '/today, first answer': row(answer),
  });
  await app.close();
} finally {
  await cluster.stop();
}

async function startApp() {
  Object.assign(process.env, serviceEnv(cluster));
  const config = loadConfig();
  const now = new Date(UtcDay.tryParse(DAY).next().startsAt().getTime() - 1);
  const app = await NestFactory.createApplicationContext(AppModule.of(config, { now: () => now }), {
    logger: ['error'],
  });
  await app.get(DatabaseService).open(connectionTargets(config.database, config.database.url));
  return app;
}

/** The seconds of one call on average, after one that warms caches. */
async function measure(work) {
  await work();
  const [node, database, began] = [process.cpuUsage(), await cluster.cpuSeconds(), performance.now()];
  for (let run = 0; run < RUNS; run++) await work();
  const wall = (performance.now() - began) / 1000;
  const used = process.cpuUsage(node);
  return {
    wall: wall / RUNS,
    cpu: ((used.user + used.system) / 1e6 + (await cluster.cpuSeconds()) - database) / RUNS,
  };
}

/** Not repeated: the facts are kept for a while. */
async function measureAnswer(todays) {
  const [node, database, began] = [process.cpuUsage(), await cluster.cpuSeconds(), performance.now()];
  await todays.today({ orgId: LARGEST }, 'json');
  const used = process.cpuUsage(node);
  return {
    wall: (performance.now() - began) / 1000,
    cpu: (used.user + used.system) / 1e6 + (await cluster.cpuSeconds()) - database,
  };
}
