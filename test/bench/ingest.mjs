import { Agent, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { eventPartition } from '../../dist/modules/ingest/event-codes.js';
import { AppConfig } from '../../dist/config/app-config.js';
import { BulkDatabase } from '../../dist/database/bulk-database.js';
import { EventsRepository } from '../../dist/modules/ingest/events.repository.js';
import { NewEventHandlers } from '../../dist/modules/ingest/new-event-handlers.js';
import { SessionTokensRepository } from '../../dist/modules/sessions/session-tokens.repository.js';
import { timed } from './load.mjs';
import { ratio } from './processes.mjs';
import { LARGEST, makeEvents } from './usage-seed.mjs';

const BATCH = 5_000;
const CONNECTIONS = 4;
const RUNS = 3;

/**
 * Ingest against a raw COPY of the same rows on one connection into a table without an index. Each run measures the floor
 * and all variants one after the other; the medians of the ratios are reported.
 */
export async function measureIngest({ cluster, service, key, day, events, users, progress }) {
  await cluster.query(`CREATE TABLE bench_raw (LIKE events)`);
  const seconds = { raw: [], indexed: [], writer: [], http: [], replayWriter: [], replayHttp: [] };
  for (let run = 1; run <= RUNS; run++) {
    const bodies = bodiesOf(makeEvents(events, day, run * 4, users), BATCH);
    seconds.http.push(await timed(() => post(service, key, bodies)));
    const rows = await rowsOf(cluster, run * 4, day);
    seconds.replayHttp.push(await timed(() => post(service, key, bodies)));
    seconds.raw.push(await timed(() => copyAll(cluster, 'bench_raw', rows)));
    const fresh = (offset) =>
      rows.map((row) => ({
        ...row,
        id: row.id.replace(/^\w{8}/, `0198${(run * 4 + offset).toString(16).padStart(4, '0')}`),
      }));
    seconds.indexed.push(await timed(() => copyAll(cluster, eventPartition(day), fresh(1))));
    const written = fresh(2);
    const { repository, end } = await openRepository(cluster);
    seconds.writer.push(await timed(() => writeAll(repository, written)));
    seconds.replayWriter.push(await timed(() => writeAll(repository, written)));
    await end();
    progress(`measured ingest, run ${run} of ${RUNS}`);
  }
  const of = (name, target) => ({
    'events/s': Math.round(events / median(seconds[name])),
    'of raw COPY': ratio(median(seconds.raw.map((raw, i) => raw / seconds[name][i])), 1),
    target,
  });
  return {
    'raw COPY, no index': of('raw', ''),
    'raw COPY into the partition': of('indexed', ''),
    'the writer alone': of('writer', '0.6'),
    'through HTTP': of('http', '0.35'),
    'replay, the writer alone': of('replayWriter', '0.5'),
    'replay through HTTP': of('replayHttp', ''),
  };
}

function bodiesOf(events, size) {
  const bodies = [];
  for (let i = 0; i < events.length; i += size)
    bodies.push(Buffer.from(JSON.stringify({ events: events.slice(i, i + size) })));
  return bodies;
}

async function post({ url }, key, bodies) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 0;
  const worker = async () => {
    while (next < bodies.length) await send(agent, `${url}/api/v1/ingest/events`, key, bodies[next++]);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  agent.destroy();
}

function send(agent, url, key, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const call = request(url, { agent, method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => {
        const result = response.statusCode === 200 ? JSON.parse(text) : null;
        if (result?.rejectedCount === 0) resolve(result);
        else reject(new Error(`${response.statusCode} ${text.slice(0, 300)}`));
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** What was just posted, as rows. */
async function rowsOf(cluster, run, day) {
  const prefix = `0198${run.toString(16).padStart(4, '0')}`;
  const rows = await cluster.query(
    `SELECT e.at, e.user_id AS "userId", e.session_id AS "sessionKey", e.id, e.kind, e.client, e.autonomy, e.tier,
            e.name_id AS "nameId", e.detail_id AS "detailId", e.input_tokens AS "inputTokens", e.output_tokens AS "outputTokens",
            e.cache_read_tokens AS "cacheReadTokens", e.cache_write_tokens AS "cacheWriteTokens",
            e.billable_tokens::float8 AS "billableTokens", e.cache_write_1h_tokens AS "cacheWrite1hTokens",
            e.reported_cost::float8 AS "reportedCost", coalesce(e.is_sum, false) AS "isSum"
       FROM ${eventPartition(day)} e WHERE e.org_id = $1 AND e.id >= $2 AND e.id <= $3 ORDER BY e.id`,
    [LARGEST, `${prefix}-0000-0000-0000-000000000000`, `${prefix}-ffff-ffff-ffff-ffffffffffff`],
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

const COPIED = `at, org_id, user_id, id, kind, client, session_id, name_id, detail_id, autonomy, tier, input_tokens, output_tokens,
  cache_read_tokens, cache_write_tokens, billable_tokens`;

async function copyAll(cluster, table, rows) {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  const columns = [
    'at',
    'org',
    'userId',
    'id',
    'kind',
    'client',
    'sessionKey',
    'nameId',
    'detailId',
    'autonomy',
    'tier',
  ];
  columns.push('inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'billableTokens');
  for (let i = 0; i < rows.length; i += BATCH) {
    const text = rows
      .slice(i, i + BATCH)
      .map((row) => columns.map((column) => (column === 'org' ? LARGEST : (row[column] ?? '\\N'))).join('\t'))
      .join('\n');
    await pipeline(
      Readable.from([Buffer.from(`${text}\n`)]),
      client.query(copyStreams.from(`COPY ${table} (${COPIED}) FROM STDIN`)),
    );
  }
  await client.end();
}

async function openRepository(cluster) {
  const pool = new pg.Pool({ connectionString: cluster.url, max: 1 });
  const newEvents = new NewEventHandlers();
  new SessionTokensRepository(newEvents);
  return {
    repository: new EventsRepository(new BulkDatabase({ bulk: pool }, null, AppConfig.fromEnv({})), newEvents),
    end: () => pool.end(),
  };
}

async function writeAll(repository, rows) {
  for (let i = 0; i < rows.length; i += BATCH) await repository.insertNew(LARGEST, rows.slice(i, i + BATCH));
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
