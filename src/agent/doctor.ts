import { accessSync, constants, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { WebSocket } from 'ws';
import { agentCommand, tryAgent } from './agent-command.js';
import { askingFindings, type Finding } from './asking-finding.js';
import type { AgentHome } from './shared/agent-home.js';
import { Credentials, type StoredComputer } from './credentials.js';
import { loadHooks } from './hooks/hook-settings.js';
import { PlatformApi } from './platform-api.js';

export interface DoctorOptions {
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly name: string | undefined;
  readonly dir: string;
  readonly command: readonly string[];
  readonly home: AgentHome;
  readonly env: NodeJS.ProcessEnv;
}

const MAX_CLOCK_DIFFERENCE_MS = 60_000;
const TIMEOUT_MS = 10_000;

/** Checks everything that connecting needs and explains what is missing. */
export async function examine(options: DoctorOptions): Promise<{ text: string; exitCode: 0 | 1 }> {
  const findings = [
    directory('Working directory', options.dir),
    directory('Own files', options.home.directory),
    settings(options),
    ...(await agent(options)),
    ...(await service(options)),
  ];
  const text = findings.map(({ isWell, what, note, remedy }) =>
    [`${isWell ? '✓' : '✗'} ${what}: ${note}`, ...(isWell || !remedy ? [] : [`    ${remedy}`])].join('\n'),
  );
  return { text: text.join('\n'), exitCode: findings.every(({ isWell }) => isWell) ? 0 : 1 };
}

function directory(what: string, path: string): Finding {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
    return { isWell: true, what, note: path };
  } catch (error) {
    const remedy = 'Give this user the right to write there, or name another directory.';
    return { isWell: false, what, note: messageOf(error), remedy };
  }
}

function settings({ home, dir }: DoctorOptions): Finding {
  const { hooks, problems, disabled } = loadHooks({ home, cwd: dir, root: dir });
  const what = 'Settings';
  if (problems.length > 0) {
    const remedy = 'The hooks of this file do not run until it is mended.';
    return { isWell: false, what, note: problems.join('\n    '), remedy };
  }
  return { isWell: true, what, note: disabled ? 'hooks are switched off' : `${hooks.length} hooks` };
}

async function agent({ command: given, env, home }: DoctorOptions): Promise<Finding[]> {
  const command = agentCommand(given);
  const what = 'Agent';
  const { problem, name } = await tryAgent(command, env, home);
  if (problem !== null) {
    const remedy = 'The command behind "--" has to start an agent that speaks ACP on its standard input and output.';
    return [{ isWell: false, what, note: problem, remedy }];
  }
  const note = given.length > 0 ? `"${command.join(' ')}" speaks ACP` : 'the built-in echo agent';
  return [{ isWell: true, what, note }, ...askingFindings({ command: given, agentName: name, home, env })];
}

async function service({ url, key, name, home }: DoctorOptions): Promise<Finding[]> {
  let stored: StoredComputer | null;
  try {
    stored = new Credentials(home).find({ url, name, usualName: hostname() });
  } catch (error) {
    return [{ isWell: false, what: 'Token', note: messageOf(error) }];
  }
  if (stored) return withToken(stored);
  if (url === undefined || key === undefined) {
    const remedy = 'Run "agent login", or give --url and --key (or AGENT_PLATFORM_URL and AGENT_PLATFORM_KEY).';
    return [{ isWell: false, what: 'Service', note: 'there is no token, and no address or no key was given', remedy }];
  }
  const reached = await reach(url);
  if (!reached.isWell) return [reached];
  const api = new PlatformApi(url, key);
  try {
    const { user, role, organization } = await api.me();
    const known: Finding = { isWell: true, what: 'Key', note: `${user.email}, ${role} of ${organization.name}` };
    return [reached, known, ...(name === undefined ? [] : await computer(api, name, key, user.id))];
  } catch (error) {
    const remedy = 'Make a key in the organization, or ask an owner for one.';
    return [reached, { isWell: false, what: 'Key', note: messageOf(error), remedy }];
  }
}

/** Opens the agent socket without hello, which alone would replace a connected agent. */
async function withToken({ url, id, name, token }: StoredComputer): Promise<Finding[]> {
  const reached = await reach(url);
  if (!reached.isWell) return [reached];
  const opened = await socket(new PlatformApi(url, token).agentUrl(id), token);
  const computer: Finding = { isWell: true, what: 'Computer', note: `"${name}" (${id})` };
  return [
    reached,
    computer,
    opened.isWell ? opened : { ...opened, remedy: 'Run "agent login" again if its token ended.' },
  ];
}

async function reach(url: string): Promise<Finding> {
  const what = 'Service';
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/health/ready`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) {
      return {
        isWell: false,
        what,
        note: `it answers ${response.status}`,
        remedy: 'Its database may be away; try later.',
      };
    }
    const differenceMs = Math.abs(Date.parse(response.headers.get('date') ?? '') - Date.now());
    const note =
      differenceMs > MAX_CLOCK_DIFFERENCE_MS
        ? `reached, but the clocks differ by ${Math.round(differenceMs / 1000)} s`
        : url;
    return { isWell: true, what, note };
  } catch (error) {
    const remedy = 'Is the address right, the service running, and no proxy in between?';
    return { isWell: false, what, note: messageOf(error), remedy };
  }
}

async function computer(api: PlatformApi, name: string, key: string, userId: string): Promise<Finding[]> {
  const what = 'Computer';
  const known = await api.findComputer(name);
  if (!known) return [{ isWell: true, what, note: `"${name}" will be registered when it connects` }];
  const registrant = await api.registrantOf(known.id);
  if (registrant !== null && registrant !== userId) {
    const remedy = 'Choose another name with --name, or let an owner give that computer to you.';
    return [{ isWell: false, what, note: `"${known.name}" was registered by somebody else`, remedy }];
  }
  // The client socket exists in all versions of the service and replaces nobody.
  const opened = await socket(api.relayUrl(known.relayClientUrl), key);
  return [{ isWell: true, what, note: `"${known.name}" (${known.id})` }, opened];
}

function socket(url: string, key: string): Promise<Finding> {
  const what = 'WebSocket';
  return new Promise((resolve) => {
    const opened = new WebSocket(url, { headers: { Authorization: `Bearer ${key}` }, handshakeTimeout: TIMEOUT_MS });
    opened.once('open', () => {
      opened.close();
      resolve({ isWell: true, what, note: url });
    });
    opened.once('error', (error) => {
      const remedy = 'A proxy in between has to let WebSockets through (the header "Upgrade").';
      resolve({ isWell: false, what, note: error.message, remedy });
    });
  });
}

function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return (error instanceof Error ? error.message : String(error)) + cause;
}
