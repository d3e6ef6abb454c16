import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentClient, type AgentClientOptions } from './agent-client.js';
import { agentCommand, prepareAgent } from './agent-command.js';
import type { AgentHome } from './shared/agent-home.js';
import { Credentials } from './credentials.js';
import type { Log } from './shared/log.js';
import { findOrRegister } from './own-computer.js';
import { PlatformApi, Unreachable } from './platform-api.js';
import { Backoff } from './relay/backoff.js';
import { Dismissed } from './relay/relay-connection.js';

export interface ConnectOptions {
  /** Default: the service of the computer for which this machine has a token. */
  readonly url?: string;
  /** Needed only without a token. */
  readonly key?: string;
  /** An API key of scope `telemetry`; default: the one that `login` has made. */
  readonly telemetryKey?: string;
  /** Of the computer. With a key, it is registered if there is none of this name. */
  readonly name?: string;
  readonly allow: 'me' | 'organization';
  readonly dir: string;
  readonly slots: number;
  readonly idleMinutes: number;
  /** Empty: the built-in echo agent. */
  readonly command: readonly string[];
  readonly home: AgentHome;
  /** Of agents and hooks. */
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly log: Log;
}

const MAX_PROBLEM = 1_000;

/** Returns the exit code. */
export async function connect(options: ConnectOptions): Promise<number> {
  const { log, home, env, dir, allow } = options;
  const identity = await identify(options);
  const command = agentCommand(options.command);
  mkdirSync(dir, { recursive: true });
  const { problem } = await prepareAgent(command, env, home, log);
  const client = new AgentClient({
    ...{ command, home, env, dir, log, allow },
    telemetry: telemetryOf(identity, options.telemetryKey),
    computerId: identity.computerId,
    relayUrl: identity.relayUrl,
    key: identity.bearer,
    slots: options.slots,
    idleMs: options.idleMinutes * 60_000,
    version: options.version,
    ...(problem === null ? {} : { problem: problem.slice(0, MAX_PROBLEM) }),
  });
  onSignal(() => {
    log.info('Stopping: ending the sessions ...');
    void client.stop();
  });
  await client.run().catch((error: unknown) => {
    if (!identity.isToken || !(error instanceof Dismissed) || error.status !== 401) throw error;
    throw new Error(`The token of this computer has ended: it was replaced or withdrawn. Run "agent login" again.`);
  });
  if (problem === null) return 0;
  log.warn(`The agent cannot run sessions here: ${problem}\nTry "agent doctor" with the same command.`);
  return 1;
}

interface Identity {
  readonly url: string;
  readonly telemetryKey: string | undefined;
  readonly computerId: string;
  readonly relayUrl: string;
  readonly bearer: string;
  readonly isToken: boolean;
}

const WHERE_KEYS_ARE_SEEN =
  'An API key in the environment or on the command line can be read by everything that runs as this user, agents too.';

/** Prefers the token of this machine over the given key. */
async function identify({ url, key, name, home, log }: ConnectOptions): Promise<Identity> {
  const stored = new Credentials(home).find({ url, name, usualName: hostname() });
  if (stored) {
    if (key !== undefined) log.warn(`${WHERE_KEYS_ARE_SEEN} It is not needed: this machine has a token.`);
    const relayUrl = new PlatformApi(stored.url, stored.token).agentUrl(stored.id);
    const { url: service, id: computerId, telemetryKey, token: bearer } = stored;
    return { url: service, telemetryKey, computerId, relayUrl, bearer, isToken: true };
  }
  if (url === undefined || key === undefined) {
    throw new Error('This machine has no token of such a computer. Run "agent login" first; it asks for an API key.');
  }
  log.warn(`${WHERE_KEYS_ARE_SEEN} Better run "agent login", which makes a token that speaks for this computer only.`);
  const api = new PlatformApi(url, key);
  const { id, relayAgentUrl } = await whenReachable(() => findOrRegister(api, name ?? hostname(), log), log);
  const relayUrl = api.relayUrl(relayAgentUrl);
  return { url: api.url, telemetryKey: undefined, computerId: id, relayUrl, bearer: key, isToken: false };
}

function telemetryOf({ url, telemetryKey }: Identity, given: string | undefined): AgentClientOptions['telemetry'] {
  const key = given ?? telemetryKey;
  return key === undefined || key === '' ? null : { url: `${url}/api/otlp`, key };
}

/** Retries while the service cannot be reached: a machine may be up first. */
async function whenReachable<T>(work: () => Promise<T>, log: Log): Promise<T> {
  const backoff = new Backoff();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const delayMs = backoff.nextMs();
      log.warn(`${error.message}. Trying again in ${(delayMs / 1000).toFixed(1)} s.`);
      await sleep(delayMs);
    }
  }
}

function onSignal(stop: () => void): void {
  let isFirst = true;
  const handle = () => {
    if (!isFirst) process.exit(1);
    isFirst = false;
    stop();
  };
  process.on('SIGINT', handle).on('SIGTERM', handle);
}
