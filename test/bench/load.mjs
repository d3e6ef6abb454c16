import { Agent, request } from 'node:http';
import { cpuSeconds } from './cluster.mjs';

const CONNECTIONS = 8;

/** Sends `count` requests over a few connections and says what they cost the server and the database. */
export async function measure({ url, pid, cluster, count, makeRequest }) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const send = (i) => exchange(agent, url, makeRequest(i));
  await drive(send, Math.ceil(count / 4)); // warms caches and the compiler
  const [node, database, began] = [await cpuSeconds(pid), await cluster.cpuSeconds(), performance.now()];
  const latencies = await drive(send, count);
  const seconds = (performance.now() - began) / 1000;
  const sorted = latencies.sort((a, b) => a - b);
  agent.destroy();
  return {
    nodeUs: (((await cpuSeconds(pid)) - node) / count) * 1e6,
    postgresUs: (((await cluster.cpuSeconds()) - database) / count) * 1e6,
    perSecond: count / seconds,
    p50: sorted[Math.floor(sorted.length * 0.5)],
    p99: sorted[Math.floor(sorted.length * 0.99)],
  };
}

async function drive(send, count) {
  const latencies = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const i = next++;
      const began = performance.now();
      await send(i);
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return latencies;
}

export function exchange(agent, url, { method = 'GET', path, headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { agent, method, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode >= 400) reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
        else resolve(text);
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** How many seconds `work` takes. */
export async function timed(work) {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
