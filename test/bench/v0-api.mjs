import { startCluster } from './cluster.mjs';
import { measure } from './load.mjs';
import { issueKey, ratio, serviceEnv, startProcess, stopProcesses } from './processes.mjs';
import { recordStatements } from './recorder.mjs';
import { BIG_ORG, seed } from './seed.mjs';
import { measureStreams } from './streams.mjs';

/*
 * What the v0 API costs above its floor. Every figure is a ratio within this one run: the service against a bare server
 * that sends the same statements on the same data, in the same transaction (and, for comparison, without the wall).
 * BENCH_SCALE=0.1 runs on a tenth of the data.
 */
const scale = Number(process.env.BENCH_SCALE ?? 1);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 4000);
const size = { organizations: 1000 * scale, sessions: 1_000_000 * scale, messages: 10_000_000 * scale };

const cluster = await startCluster();
try {
  await run();
} finally {
  await stopProcesses();
  await cluster.stop();
}

async function run() {
  const began = Date.now();
  await seed(cluster, {
    ...size,
    progress: (what) => console.error(`seeding: ${what} (${Math.round((Date.now() - began) / 1000)} s)`),
  });
  const key = await issueKey(cluster, BIG_ORG);
  const env = serviceEnv(cluster);
  const requests = await makeRequests(key);
  const recorded = await recordStatements(env, requests);
  const service = await startProcess(['dist/main.js'], env, /API\s+(http\S+)/);
  const floor = { URL: cluster.url, ROLE: cluster.requestRole, CASES: JSON.stringify(toCases(recorded)) };
  const walled = await startProcess(['test/bench/bare-server.mjs'], { ...floor, WALL: 'yes' }, /(\d+)/);
  const open = await startProcess(['test/bench/bare-server.mjs'], { ...floor, WALL: 'no' }, /(\d+)/);

  const table = [];
  for (const [name, request] of Object.entries(requests)) {
    // The first case would be measured on a compiler that is still cold.
    for (const [target, sent] of [
      [service, request],
      [walled, { path: `/${name}` }],
      [open, { path: `/${name}` }],
    ]) {
      if (request.method !== 'POST')
        await measure({ ...target, cluster, count: REQUESTS / 4, makeRequest: () => sent });
    }
  }
  for (const [name, request] of Object.entries(requests)) {
    const count = request.method === 'POST' ? REQUESTS / 2 : REQUESTS;
    const on = (target, makeRequest) => measure({ ...target, cluster, count, makeRequest });
    const bare = await on(walled, () => ({ path: `/${name}` }));
    const full = await on(service, () => request);
    // A write without its transaction is another thing altogether.
    const wallless = request.method === 'POST' ? null : await on(open, () => ({ path: `/${name}` }));
    const cpu = ({ nodeUs, postgresUs }) => nodeUs + postgresUs;
    table.push({
      case: name,
      'CPU µs': Math.round(cpu(full)),
      'floor CPU µs': Math.round(cpu(bare)),
      'CPU ratio': ratio(cpu(full), cpu(bare)),
      'CPU ratio without wall': wallless ? ratio(cpu(full), cpu(wallless)) : '',
      'throughput ratio': ratio(full.perSecond, bare.perSecond),
      'p50 ms': full.p50.toFixed(2),
      'p99 ms': full.p99.toFixed(2),
    });
    console.error(`measured ${name}`);
  }
  console.log(`Data: ${JSON.stringify(size)}, ${REQUESTS} requests a case over 8 connections, Node ${process.version}`);
  console.table(table);
  reportDepth(table);
  console.log(await measureStreams({ ...service, key, cluster, readers: Math.min(1000, size.sessions / 5) }));
}

function reportDepth(table) {
  const cpuOf = (name) => table.find((row) => row.case === name)['CPU µs'];
  for (const list of ['sessions', 'messages']) {
    console.log(`${list}: deep page / first page = ${ratio(cpuOf(`${list} deep`), cpuOf(list))}`);
  }
}

/** The requests, each as a client would send it; the deep pages with cursors that a client would have got on the way. */
async function makeRequests(key) {
  const headers = { authorization: `Bearer ${key}` };
  const { toPageRequest, toPagination } = await import('../../dist/http/paging/paging.js');
  const caller = { orgId: BIG_ORG.id, userId: BIG_ORG.userId };
  const cursor = (list, filters, next) =>
    toPagination({ items: [], next }, toPageRequest({}, caller, list, filters)).nextCursor;
  const [deep] = await cluster.query(
    `SELECT s.created_at AS at, s.id FROM sessions s WHERE s.org_id = $1 ORDER BY s.created_at, s.id OFFSET 40 LIMIT 1`,
    [BIG_ORG.id],
  );
  const [{ id: long }] = await cluster.query(
    `SELECT s.id FROM sessions s WHERE s.org_id = $1 ORDER BY s.message_count DESC LIMIT 1`,
    [BIG_ORG.id],
  );
  const [{ id: message }] = await cluster.query(
    `SELECT m.id FROM messages m WHERE m.org_id = $1 AND m.session_id = $2 LIMIT 1`,
    [BIG_ORG.id, long],
  );
  const sessionsCursor = cursor('sessions', { computerId: undefined }, [deep.at.toISOString(), deep.id]);
  const messagesCursor = cursor('messages', { sessionId: long, computerId: undefined, role: undefined }, ['30']);
  const get = (path) => ({ path, headers });
  return {
    session: get(`/api/v0/sessions/${long}`),
    sessions: get('/api/v0/sessions'),
    'sessions deep': get(`/api/v0/sessions?cursor=${sessionsCursor}`),
    message: get(`/api/v0/sessions/${long}/messages/${message}`),
    messages: get(`/api/v0/sessions/${long}/messages`),
    'messages deep': get(`/api/v0/sessions/${long}/messages?cursor=${messagesCursor}`),
    computers: get('/api/v0/computers'),
    users: get('/api/v0/organization/users'),
    'post message': {
      method: 'POST',
      path: `/api/v0/sessions/${deep.id}/messages`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Please look at the failing test' }),
    },
  };
}

function toCases(recorded) {
  return Object.fromEntries(
    Object.entries(recorded).map(([name, { flights, answer }]) => {
      const statements = flights.flat();
      const insert = statements.find(({ text }) => text.includes('INSERT INTO messages'));
      const event = statements.find(({ text }) => text.includes('INSERT INTO events'));
      const fresh = insert ? [answer.messageId, insert.values[3], event.values[4]] : [];
      return [name.replace(' ', '%20'), { flights, fresh }];
    }),
  );
}
