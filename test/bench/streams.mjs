import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMiB } from './cluster.mjs';
import { exchange } from './load.mjs';
import { BIG_ORG } from './seed.mjs';

const POSTS = 300;

/** Many readers, each on a session of its own: what a connected reader costs, and how long an event takes to reach it. */
export async function measureStreams({ url, pid, key, cluster, readers }) {
  const headers = { authorization: `Bearer ${key}` };
  const sessions = await cluster.query(
    `SELECT s.id FROM sessions s WHERE s.org_id = $1 ORDER BY s.created_at DESC, s.id DESC LIMIT $2`,
    [BIG_ORG.id, readers],
  );
  const before = await residentMiB(pid);
  const waiting = new Map();
  const streams = await Promise.all(sessions.map(({ id }) => connect(url, id, headers, waiting)));
  await sleep(1000);
  const after = await residentMiB(pid);
  const agent = new Agent({ keepAlive: true });
  const latencies = [];
  for (let i = 0; i < POSTS; i++) {
    const { id } = sessions[(i * 7919) % sessions.length];
    const began = performance.now();
    const arrived = new Promise((resolve) => waiting.set(id, resolve));
    await exchange(agent, url, {
      method: 'POST',
      path: `/api/v0/sessions/${id}/messages`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"text":"hello"}',
    });
    await arrived;
    latencies.push(performance.now() - began);
  }
  for (const stream of streams) stream.destroy();
  agent.destroy();
  const sorted = latencies.sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor(sorted.length * share)].toFixed(1);
  return (
    `${streams.length} readers of server-sent events: ${(((after - before) / streams.length) * 1024).toFixed(1)} KiB each ` +
    `(${before.toFixed(0)} -> ${after.toFixed(0)} MiB), from POST to arrival p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
  );
}

function connect(url, id, headers, waiting) {
  return new Promise((resolve, reject) => {
    const call = request(`${url}/api/v0/sessions/${id}/events`, { headers, agent: false }, (response) => {
      response.on('data', (chunk) => {
        if (chunk.includes('message.created')) waiting.get(id)?.();
      });
      response.on('error', () => undefined);
      response.once('data', () => resolve(call));
    });
    call.on('error', reject);
    call.end();
  });
}
