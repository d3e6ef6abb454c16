import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearTimeout, setTimeout as after } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';

/* The place of a run, which is thrown away, and the programs that run in it. */
export const place = realpathSync(mkdtempSync(join(tmpdir(), 'agent-platform-agents-')));
chmodSync(place, 0o755);
const programs = process.env.AGENTS_DIR ?? join(place, 'programs');
const children = [];

/** Each package in a directory of its own: agents depend on different versions of one another. */
export async function install(packages) {
  for (const name of new Set(packages)) {
    const prefix = prefixOf(name);
    mkdirSync(prefix, { recursive: true });
    console.log(`Installing ${name} ...`);
    const args = ['install', '--prefix', prefix, '--no-audit', '--no-fund', '--no-save', '--prefer-offline', name];
    const { code, output } = await execute('npm', args, process.env, prefix, 600_000);
    if (code !== 0) throw new Error(`npm install ${name} failed:\n${output}`);
  }
}

export function binOf(name) {
  return join(prefixOf(name), 'node_modules', '.bin');
}

function prefixOf(name) {
  return join(programs, name.replace(/[^\w.]+/g, '-'));
}

export function startService(dataDir, clock = 'tomorrow') {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, CLOCK: clock };
  const child = spawn(process.execPath, ['test/agents/service.mjs'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      const [, url, key] = /READY (\S+) (\S+)/.exec(data.toString()) ?? [];
      if (url) resolve({ url, key, child });
    });
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}.`)));
  });
}

/** A program that goes on; `printed` waits for a line of its output. */
export function startProgram(file, args, env, cwd) {
  const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const program = { child, output: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (program.output += data));
  program.printed = async (pattern, timeoutMs) => {
    for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(50)) {
      if (pattern.test(program.output)) return;
      if (child.exitCode !== null) break;
    }
    throw new Error(`It did not print ${pattern}: ${program.output.slice(-1000)}`);
  };
  program.stop = async () => {
    child.kill('SIGTERM');
    for (let i = 0; i < 300 && child.exitCode === null && child.signalCode === null; i++) await sleep(50);
  };
  return program;
}

export function execute(file, args, env, cwd, timeoutMs) {
  const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const timer = after(() => process.kill(-child.pid, 'SIGKILL'), timeoutMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

export async function cleanUp() {
  const isRunning = ({ exitCode, signalCode }) => exitCode === null && signalCode === null;
  for (const child of children) child.kill('SIGTERM');
  for (let i = 0; i < 300 && children.some(isRunning); i++) await sleep(100); // a service ends its database
  if (!process.env.KEEP) rmSync(place, { recursive: true, force: true });
}

export async function readAnalytics({ url, key }) {
  const today = new Date().toISOString().slice(0, 10);
  const read = async (report, triesLeft = 10) => {
    const query = `startDate=${today}&endDate=${today}`;
    const response = await fetch(`${url}/api/v1/analytics/${report}?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    if (response.status === 503 && triesLeft > 0) {
      await sleep(Number(response.headers.get('retry-after')) * 1000); // a busy machine
      return read(report, triesLeft - 1);
    }
    const { data, detail } = await response.json();
    if (!data) throw new Error(`${report} could not be read: ${response.status} ${detail}`);
    return data;
  };
  const [[tokens], [tools], [activity], [productivity], users] = await Promise.all(
    ['tokens', 'tools', 'activity', 'productivity', 'users'].map(read),
  );
  return {
    tokens: { ...tokens, models: tokens.by_model.map((row) => row.model_id), by_model: undefined, by_user: undefined },
    tools: tools.by_tool.map(({ tool }) => tool),
    activity: {
      sessions: activity.sessions,
      messages: activity.messages,
      clients: activity.daily_active_users_by_client,
    },
    productivity: {
      created: productivity.files_created,
      edited: productivity.files_edited,
      commits: productivity.git_commits,
    },
    users: users.map(({ user_email: email, primary_model: model }) => ({ email, model })),
  };
}
