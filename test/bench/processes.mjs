import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { newApiKey } from '../../dist/common/access/api-key-format.js';

const children = [];

/** Starts a Node program and waits until it has said where it listens: `pattern` finds an address or a port. */
export async function startProcess(args, env, pattern) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    const found = pattern.exec(text)?.[1];
    if (found) {
      child.stdout.resume();
      return { pid: child.pid, url: found.startsWith('http') ? found : `http://127.0.0.1:${found}` };
    }
  }
  throw new Error(`The process did not start: ${text}`);
}

export async function stopProcesses() {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.map((child) => child.exitCode === null && once(child, 'exit')));
}

/** The environment of the service under measurement. */
export const serviceEnv = (cluster) => ({
  DATABASE_URL: cluster.url,
  SECRETS_KEY: '0'.repeat(64),
  RATE_LIMIT_PER_MINUTE: '1000000000',
  MAX_QUEUED_TURNS: '1000000',
  LOG_LEVEL: 'warn',
  PORT: '0',
});

/** An API key of this user. */
export async function issueKey(cluster, { id, userId }) {
  const key = newApiKey();
  const hash = createHash('sha256').update(key).digest();
  await cluster.query(
    `WITH key AS (INSERT INTO api_keys (org_id, id, user_id, name, prefix, key_hash, created_by, created_at)
                  SELECT $1, gen_random_uuid(), $2, 'bench', 'apk_', $3, $2, now() RETURNING id, org_id, key_hash)
     INSERT INTO api_key_directory (key_hash, org_id, api_key_id) SELECT key_hash, org_id, id FROM key`,
    [id, userId, hash],
  );
  return key;
}

export function ratio(a, b) {
  return (a / b).toFixed(2);
}
