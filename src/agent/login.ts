import { createInterface } from 'node:readline';
import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import type { AgentHome } from './shared/agent-home.js';
import { Credentials, type StoredComputer } from './credentials.js';
import type { Log } from './shared/log.js';
import { findOrRegister } from './own-computer.js';
import { ApiError, PlatformApi } from './platform-api.js';

const MAX_KEY_NAME = 100;

export interface LoginOptions {
  readonly url: string;
  readonly name?: string;
  /** The id of a computer whose token comes from standard input, instead of an API key. */
  readonly computer?: string;
  /** Whether to make a key for the telemetry of agents as well. */
  readonly telemetry?: boolean;
  readonly home: AgentHome;
  readonly log: Log;
  readonly input: NodeJS.ReadStream;
}

/** Exchanges an API key for a token of this computer and stores only the token. */
export async function login(options: LoginOptions): Promise<string> {
  const { url, name = hostname(), computer: id, telemetry, home, log, input } = options;
  const key = await readKey(input);
  if (key === '') throw new Error('No API key came from standard input.');
  if (id !== undefined || key.startsWith('apc_')) return keepToken({ url, name, id, token: key }, options);
  const api = new PlatformApi(url, key);
  const computer = await findOrRegister(api, name, log);
  const credentials = new Credentials(home);
  const before = credentials.of({ url: api.url, name: computer.name });
  const telemetryKey = await telemetryKeyFor(api, before, computer.name, telemetry);
  const token = await api.createToken(computer.id).catch((error: unknown) => {
    const isUnknown = error instanceof ApiError && error.status === 404;
    throw isUnknown ? new Error(`${url} is too old for computer tokens; connect with AGENT_PLATFORM_KEY.`) : error;
  });
  credentials.put({ ...telemetryKey, url: api.url, id: computer.id, name: computer.name, token });
  return `This machine is the computer "${computer.name}" from now on; its token is in ${home.credentialsFile}.`;
}

/** A token that was made elsewhere, such as in the console. Whether it works, the service says when it connects. */
function keepToken(
  { url, name, id, token }: { url: string; name: string; id: string | undefined; token: string },
  { telemetry, home }: LoginOptions,
): string {
  if (id === undefined)
    throw new Error('A computer token says nothing about its computer: give its id with --computer.');
  if (!token.startsWith('apc_')) throw new Error('With --computer, a computer token has to come from standard input.');
  if (telemetry) throw new Error('A computer token cannot make a key for telemetry: leave --telemetry out.');
  const credentials = new Credentials(home);
  const { telemetryKey, telemetryKeyId } = credentials.of({ url, name }) ?? {};
  credentials.put({ telemetryKey, telemetryKeyId, url, id, name, token });
  return `This machine is the computer "${name}" from now on; its token is in ${home.credentialsFile}.`;
}

type TelemetryKey = Pick<StoredComputer, 'telemetryKey' | 'telemetryKeyId'>;

/** A new key replaces the one that this machine had. */
async function telemetryKeyFor(
  api: PlatformApi,
  before: TelemetryKey | null,
  name: string,
  isWanted = false,
): Promise<TelemetryKey> {
  const { telemetryKey, telemetryKeyId } = before ?? {};
  if (!isWanted) return { telemetryKey, telemetryKeyId };
  const { id, key } = await api.createTelemetryKey(`Telemetry of agents on ${name}`.slice(0, MAX_KEY_NAME));
  if (telemetryKeyId !== undefined) await api.revokeKey(telemetryKeyId);
  return { telemetryKey: key, telemetryKeyId: id };
}

/** The first line; not echoed on a terminal. */
async function readKey(input: NodeJS.ReadStream): Promise<string> {
  if (input.isTTY) process.stderr.write('API key: ');
  const silent = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: input.isTTY });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
    if (input.isTTY) process.stderr.write('\n');
  }
}
