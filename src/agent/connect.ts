import { mkdirSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentClient } from './agent-client.js';
import { agentCommand, findProblem } from './agent-command.js';
import type { AgentHome } from './agent-home.js';
import type { Log } from './log.js';
import { type Computer, PlatformApi, Unreachable } from './platform-api.js';
import { Backoff } from './relay/backoff.js';

export interface ConnectOptions {
  readonly url: string;
  readonly key: string;
  /** Of the computer; it is registered when there is none of this name. */
  readonly name: string;
  readonly dir: string;
  readonly slots: number;
  readonly idleMinutes: number;
  /** The agent and its arguments; none: the built-in echo agent. */
  readonly command: readonly string[];
  readonly home: AgentHome;
  /** The environment of agents and hooks. */
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly log: Log;
}

const MAX_PROBLEM = 1_000;

/** Makes this machine a computer of the organization until it is told to stop; returns the exit code. */
export async function connect(options: ConnectOptions): Promise<number> {
  const { log, home, env, dir } = options;
  const api = new PlatformApi(options.url, options.key);
  const computer = await whenReachable(() => findOrRegister(api, options), log);
  const command = agentCommand(options.command);
  mkdirSync(dir, { recursive: true });
  const problem = await findProblem(command, env);
  const client = new AgentClient({
    ...{ computer, command, home, env, dir, log },
    relayUrl: api.relayUrl(computer.relayAgentUrl),
    key: options.key,
    slots: options.slots,
    idleMs: options.idleMinutes * 60_000,
    version: options.version,
    ...(problem === null ? {} : { problem: problem.slice(0, MAX_PROBLEM) }),
  });
  onSignal(() => {
    log.info('Stopping: ending the sessions ...');
    void client.stop();
  });
  await client.run();
  if (problem === null) return 0;
  log.warn(`The agent cannot run sessions here: ${problem}\nTry "agent doctor" with the same command.`);
  return 1;
}

/** A machine may be up before the service is: then it waits. What is refused for good is not tried again. */
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

async function findOrRegister(api: PlatformApi, { name, log }: ConnectOptions): Promise<Computer> {
  const known = await api.findComputer(name);
  if (known) return known;
  const registered = await api.registerComputer({ name, hostname: hostname(), remoteUser: userInfo().username });
  log.info(`Registered this machine as the computer "${registered.name}".`);
  return registered;
}

/** The first signal stops in an orderly way, the second at once. */
function onSignal(stop: () => void): void {
  let isFirst = true;
  const handle = () => {
    if (!isFirst) process.exit(1);
    isFirst = false;
    stop();
  };
  process.on('SIGINT', handle).on('SIGTERM', handle);
}
