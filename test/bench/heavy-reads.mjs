import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DOCUMENT_KIND } from '../../dist/modules/analytics/day-documents.js';
import { toFragment } from '../../dist/modules/analytics/spliced-gzip.js';
import { startCluster } from './cluster.mjs';
import { issueKey, serviceEnv, startProcess, stopProcesses } from './processes.mjs';
import { LARGEST, seedOrganizations } from './usage-seed.mjs';

/*
 * How long somebody waits for a small read while many ask for the widest analytics answers: 50 of /tokens and 50 of /users at
 * once, again and again, with 20 small reads a second beside them. Target: p99 below 300 ms on idle cores, nothing cut.
 */
const PARALLEL = 50;
const SECONDS = Number(process.env.SECONDS ?? 20);
const USERS = 2_000;
const RANGE = 'startDate=2026-01-14&endDate=2026-11-13';
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const OWNER = { id: LARGEST, userId: '00010000-0000-7000-8000-000000000001' };

const cluster = await startCluster();
try {
  await seedOrganizations(cluster, USERS * 6);
  await seedDays();
  const service = await startProcess(['dist/main.js'], serviceEnv(cluster), /API\s+(http\S+)/);
  const heavyKey = await issueKey(cluster, OWNER);
  const key = await issueKey(cluster, { ...OWNER, userId: '00010000-0000-7000-8000-000000000002' });
  const small = `${service.url}/api/v0/sessions?limit=1`;
  const alone = await smallReads(small, key, 3);

  let isOver = false;
  const outcomes = {};
  const note = (what) => (outcomes[what] = (outcomes[what] ?? 0) + 1);
  const reader = async (path) => {
    while (!isOver) {
      await answer(`${service.url}/api/v1/analytics/${path}`, heavyKey).then(
        ({ status, retryAfter }) => (
          note(`${path.split('?')[0]} ${status}`),
          status === 503 && sleep(retryAfter * 1000)
        ),
        (error) => note(`${path.split('?')[0]} cut: ${error.message}`),
      );
    }
  };
  const readers = [`tokens?${RANGE}`, `users?limit=100&${RANGE}`].flatMap((path) =>
    Array.from({ length: PARALLEL }, () => reader(path)),
  );
  const beside = await smallReads(small, key, SECONDS);
  isOver = true;
  await Promise.all(readers);
  console.table({ 'small reads alone': alone, 'beside the heavy ones': { ...beside, target: 'p99 300' } });
  console.table(outcomes);
} finally {
  await stopProcesses();
  await cluster.stop();
}

/** Days as the aggregation leaves them, of the size that they have with this number of users. */
async function seedDays() {
  const users = Array.from({ length: USERS }, (_, i) => ({
    user_id: `00010000-0000-7000-8000-${i.toString(16).padStart(12, '0')}`,
    user_email: `user${i}@example.com`,
    billable_tokens: randomBytes(4).readUInt32LE(),
    input_tokens: randomBytes(4).readUInt32LE(),
    output_tokens: randomBytes(3).readUIntLE(0, 3),
  }));
  const { bytes, plainBytes, plainCrc } = await toFragment(Buffer.from(JSON.stringify({ by_user: users })));
  const days = `generate_series(date '2026-01-14', date '2026-11-13', '1 day') AS g (day)`;
  await cluster.query(`INSERT INTO analytics_changes VALUES ('${LARGEST}', 1)`);
  await cluster.query(`INSERT INTO analytics_days (org_id, day, version, activity_version, computed_at)
                       SELECT '${LARGEST}', g.day, 1, 1, now() FROM ${days}`);
  await cluster.query(
    `INSERT INTO day_documents (org_id, kind, day, version, stored_bytes, fragment, plain_bytes, plain_crc)
     SELECT '${LARGEST}', ${DOCUMENT_KIND.tokens}, g.day, 1, length($1::bytea), $1, $2, $3 FROM ${days}`,
    [bytes, plainBytes, plainCrc],
  );
  const row = JSON.stringify({ ...users[0], date: '2026-01-14', languages: [], filler: 'x'.repeat(250) });
  await cluster.query(
    `INSERT INTO user_days (org_id, user_id, day, version, body)
     SELECT u.org_id, u.id, g.day, 1, $1 FROM users u, ${days} WHERE u.org_id = '${LARGEST}' ORDER BY 2 LIMIT 600000`,
    [row],
  );
  await cluster.query('VACUUM ANALYZE');
  const size = Math.round(bytes.length / 1000);
  console.log(`Data: 304 days of ${USERS} users, ${size} kB of gzip a day; Node ${process.version}`);
}

async function smallReads(url, key, seconds) {
  const env = { PATH: process.env.PATH, URL: url, KEY: key, SECONDS: String(seconds) };
  const child = spawn(process.execPath, ['test/bench/small-reads.mjs'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  return JSON.parse(output);
}

/** Reads an answer to its end; fails when it ends before. */
function answer(url, key) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'gzip' };
    get(url, { headers, agent }, (response) => {
      response.resume();
      response.once('error', reject).once('end', () => {
        if (!response.complete) reject(new Error('not complete'));
        else resolve({ status: response.statusCode, retryAfter: Number(response.headers['retry-after'] ?? 0) });
      });
    }).once('error', reject);
  });
}
