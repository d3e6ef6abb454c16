import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearTimeout, setTimeout as after } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { AGENTS } from './agents.mjs';
import { startModelStub } from './model-stub.mjs';

/*
 * Real agents report in: installs their CLIs into a directory that is thrown away, lets each write a file against a
 * stand-in for its models, with its telemetry pointed at the service, and looks at what analytics say.
 * `npm run test:agents [name ...]`; AGENTS_DIR keeps the CLIs for the next time.
 */
const wanted = process.argv.slice(2).map((name) => name.toLowerCase());
const agents = AGENTS.filter(
  ({ name }) => wanted.length === 0 || wanted.some((word) => name.toLowerCase().includes(word)),
);
const place = realpathSync(mkdtempSync(join(tmpdir(), 'agent-platform-agents-')));
chmodSync(place, 0o755);
const programs = process.env.AGENTS_DIR ?? join(place, 'programs');
const children = [];

try {
  await install();
  const failures = [];
  for (const agent of agents) {
    const problem = await tryAgent(agent).catch((error) => error.message);
    console.log(problem ? `✗ ${agent.name} (${agent.package}): ${problem}` : `✓ ${agent.name} (${agent.package})`);
    if (problem) failures.push(agent.name);
  }
  process.exitCode = failures.length > 0 ? 1 : 0;
} finally {
  for (const child of children) child.kill('SIGTERM');
  await sleep(2000);
  if (!process.env.KEEP) rmSync(place, { recursive: true, force: true });
}

async function install() {
  mkdirSync(programs, { recursive: true });
  console.log(`Installing ${agents.map(({ package: name }) => name).join(', ')} ...`);
  const args = [
    'install',
    '--prefix',
    programs,
    '--no-audit',
    '--no-fund',
    '--no-save',
    ...agents.map((agent) => agent.package),
  ];
  const { code, output } = await execute('npm', args, process.env, programs, 600_000);
  if (code !== 0) throw new Error(`npm install failed:\n${output}`);
}

/** Each agent has a service of its own; returns what is wrong, or null. */
async function tryAgent(agent) {
  const directory = join(place, agent.name.replace(' ', '-'));
  const [home, work] = ['home', 'work'].map((name) => join(directory, name));
  for (const path of [home, work]) mkdirSync(path, { recursive: true });
  process.env.WORK_DIR = work;
  const model = await startModelStub();
  const service = await startService(join(directory, 'data'));
  const context = {
    bin: join(programs, 'node_modules', '.bin'),
    model: model.url,
    otlp: `${service.url}/api/otlp`,
    key: service.key,
    home,
  };
  const { command, env } = agent.run(context);
  const { code, output } = await execute(
    command[0],
    command.slice(1),
    { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb', ...env },
    work,
    180_000,
  );
  await sleep(8000); // exporters may still be at it
  const seen = await readAnalytics(service);
  model.stop();
  service.child.kill('SIGTERM');
  console.log(JSON.stringify(seen, null, 2));
  if (code !== 0) return `it ended with ${code}: ${output.slice(-500)}`;
  return judge(agent.expected, seen);
}

function judge({ models, tools }, { tokens, tools: used, users }) {
  if (users.length !== 1) return `${users.length} users were seen`;
  if (!(tokens.billable_tokens > 0)) return 'no tokens were seen';
  const missing = (known, found) => known && !known.some((name) => found.includes(name));
  if (missing(models, tokens.models)) return `models were ${tokens.models.join(', ')}`;
  if (missing(tools, used)) return `tools were ${used.join(', ')}`;
  return null;
}

async function readAnalytics({ url, key }) {
  const today = new Date().toISOString().slice(0, 10);
  const read = async (report) => {
    const query = `startDate=${today}&endDate=${today}`;
    const response = await fetch(`${url}/api/v1/analytics/${report}?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return (await response.json()).data;
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

function startService(dataDir) {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
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

function execute(file, args, env, cwd, timeoutMs) {
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
