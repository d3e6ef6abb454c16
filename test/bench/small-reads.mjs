import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * Sends 20 small reads a second to URL for SECONDS, each in its time whether the one before was answered or not, and prints
 * how long they took. A process of its own, so that it does not wait for whatever else a measurement does.
 */
const { URL: url, KEY: key, SECONDS: seconds } = process.env;
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

for (let i = 0; i < 20; i++) await read();
const answers = [];
const sent = [];
const began = performance.now();
for (let i = 0; i < Number(seconds) * 20; i++) {
  await sleep(Math.max(0, began + i * 50 - performance.now()));
  const at = performance.now();
  sent.push(read().then((status) => answers.push({ status, ms: performance.now() - at })));
}
await Promise.all(sent);
const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b);
const at = (share) => Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1));
const refused = answers.filter(({ status }) => status !== 200).length;
console.log(JSON.stringify({ 'p50 ms': at(0.5), 'p99 ms': at(0.99), 'max ms': at(1), refused }));
agent.destroy();

function read() {
  return new Promise((resolve, reject) => {
    get(url, { headers: { authorization: `Bearer ${key}` }, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', reject);
  });
}
