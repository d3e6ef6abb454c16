import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { newApiKey } from '../../dist/common/access/api-key-format.js';
import { residentMiB, startCluster } from './cluster.mjs';
import { ratio, serviceEnv, startProcess, stopProcesses } from './processes.mjs';
import { Api, BenchAgent } from './relay-agent.mjs';
import { seed } from './seed.mjs';

/*
 * How long a message takes from its POST to the agent that works on it, against a bare WebSocket that inserts the message
 * and its turn and answers; and what connected computers cost. One after the other, on loopback, in this one run.
 */
const TURNS = Number(process.env.BENCH_TURNS ?? 1000);
const COMPUTERS = 200;
const SESSIONS = 1000;
const PAST = { organizations: 100, sessions: 10_000, messages: 100_000 };

const cluster = await startCluster();
try {
  await run();
} finally {
  await stopProcesses();
  await cluster.stop();
}

async function run() {
  const key = newApiKey();
  const env = { ...serviceEnv(cluster), BOOTSTRAP_API_KEY: key, MAX_COMPUTERS_PER_USER: String(COMPUTERS + 1) };
  const service = await startProcess(['dist/main.js'], env, /API\s+(http\S+)/);
  const api = new Api(service.url, key);
  await seedPast();
  const relayed = await measureTurns(api);
  const floor = await measureFloor();
  console.log(`${TURNS} messages, one after the other, Node ${process.version}`);
  console.table([
    { case: 'POST to receipt by the agent', ...relayed },
    { case: 'bare WebSocket and two inserts', ...floor },
    { case: 'ratio', p50: ratio(relayed.p50, floor.p50), p99: ratio(relayed.p99, floor.p99) },
  ]);
  console.log(await measureConnections(api, service.pid));
}

/** Conversations that are over: in tables that are all but empty, statements are planned as nobody would run them. */
async function seedPast() {
  await seed(cluster, { ...PAST, progress: () => undefined });
  await cluster.query(
    `INSERT INTO turns (org_id, session_id, message_id, computer_id, status, attempt, created_at, started_at, ended_at)
     SELECT m.org_id, m.session_id, m.id, s.computer_id, 'ended', 1, m.created_at, m.created_at, m.created_at
       FROM messages m JOIN sessions s ON s.org_id = m.org_id AND s.id = m.session_id WHERE m.role = 'user'`,
  );
  await cluster.query(
    `INSERT INTO session_events (org_id, session_id, seq, type, message_id, created_at)
     SELECT m.org_id, m.session_id, m.seq, 'message.created', m.id, m.created_at FROM messages m`,
  );
  await cluster.query('VACUUM ANALYZE');
}

async function measureTurns(api) {
  const computer = await api.send('POST', '/computers', { name: 'bench' });
  const { sessionId } = await api.send('POST', '/sessions', { computerId: computer.id });
  const agent = await BenchAgent.connect(api, computer.id, 4);
  const latencies = [];
  for (let i = 0; i < TURNS * 1.25; i++) {
    const received = agent.nextTurn();
    const began = performance.now();
    const posted = api.send('POST', `/sessions/${sessionId}/messages`, { text: 'Please look at the failing test' });
    const turn = await received;
    latencies.push(performance.now() - began);
    await posted;
    await agent.end(turn);
  }
  agent.close();
  return summary(latencies.slice(TURNS / 4)); // the first ones warm caches and the compiler
}

async function measureFloor() {
  const [{ org, session }] = await cluster.query(`SELECT s.org_id AS org, s.id AS session FROM sessions s LIMIT 1`);
  const env = { URL: cluster.url, ROLE: cluster.requestRole, ORG: org, SESSION: session };
  const bare = await startProcess(['test/bench/bare-relay.mjs'], env, /(\d+)/);
  const socket = new WebSocket(bare.url.replace('http', 'ws'));
  await new Promise((resolve) => socket.once('open', resolve));
  const latencies = [];
  for (let i = 0; i < TURNS * 1.25; i++) {
    const began = performance.now();
    socket.send('Please look at the failing test');
    await new Promise((resolve) => socket.once('message', resolve));
    latencies.push(performance.now() - began);
  }
  socket.close();
  return summary(latencies.slice(TURNS / 4));
}

/** Many computers, each with several sessions that all have a turn: what they hold in memory. */
async function measureConnections(api, pid) {
  const computers = [];
  for (let i = 0; i < COMPUTERS; i++) computers.push(await api.send('POST', '/computers', { name: `bench-${i}` }));
  await sleep(2000);
  const before = await residentMiB(pid);
  const agents = [];
  for (const { id } of computers) agents.push(await BenchAgent.connect(api, id, SESSIONS / COMPUTERS));
  await sleep(2000);
  const connected = await residentMiB(pid);
  let turns = 0;
  for (const agent of agents) agent.onTurn = () => turns++;
  for (let i = 0; i < SESSIONS; i++) {
    const { sessionId } = await api.send('POST', '/sessions', { computerId: computers[i % COMPUTERS].id });
    await api.send('POST', `/sessions/${sessionId}/messages`, { text: 'Please look at the failing test' });
  }
  while (turns < SESSIONS) await sleep(50);
  await sleep(2000);
  const working = await residentMiB(pid);
  for (const agent of agents) agent.close();
  const each = (mib) => `${((mib * 1024) / COMPUTERS).toFixed(0)} KiB`;
  return (
    `${COMPUTERS} computers: ${each(connected - before)} each (${before.toFixed(0)} -> ${connected.toFixed(0)} MiB); ` +
    `with ${SESSIONS} sessions at work ${each(working - before)} each (${working.toFixed(0)} MiB)`
  );
}

function summary(latencies) {
  const sorted = latencies.sort((a, b) => a - b);
  const at = (share) => Number(sorted[Math.floor(sorted.length * share)].toFixed(2));
  return { p50: at(0.5), p99: at(0.99) };
}
