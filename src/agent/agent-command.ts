import { fileURLToPath } from 'node:url';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { AcpDriver } from './acp/acp-driver.js';
import { askingLaunch } from './acp/asking-agents.js';
import type { AgentHome } from './shared/agent-home.js';
import type { Log } from './shared/log.js';

const START_MS = 60_000;
/** For commands that download the agent when it is not there yet. */
const DOWNLOAD_MS = 10 * 60_000;
const PROGRESS_MS = 10_000;
const DOWNLOADERS = ['npx', 'bunx', 'pnpx', 'uvx'];

export function agentCommand(given: readonly string[]): string[] {
  return given.length > 0 ? [...given] : [process.execPath, fileURLToPath(new URL('main.js', import.meta.url)), 'echo'];
}

/** How long the first start of a command may take. */
export function firstStartMs([program = '', ...args]: readonly string[]): number {
  const name = basename(program).replace(/\.cmd$/, '');
  const isDownload = DOWNLOADERS.includes(name) || ['dlx', 'exec', 'x'].includes(args[0] ?? '');
  return isDownload ? DOWNLOAD_MS : START_MS;
}

export interface AgentTrial {
  /** Why it cannot run sessions; null when it can. */
  readonly problem: string | null;
  /** As the agent calls itself. */
  readonly name: string | null;
}

/** Starts the agent once, in a temporary directory. */
export async function tryAgent(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  home: AgentHome,
): Promise<AgentTrial> {
  const cwd = mkdtempSync(join(tmpdir(), 'agent-platform-check-'));
  const driver = new AcpDriver({
    ...askingLaunch(command, env, home),
    cwd,
    openTimeoutMs: firstStartMs(command),
    onUpdate: () => undefined,
    onPermission: () => Promise.resolve({ allow: false }),
    onExit: () => undefined,
  });
  try {
    await driver.open({ resume: null });
    return { problem: null, name: driver.agentName };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), name: driver.agentName };
  } finally {
    await driver.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** The same before the first turn, with progress in the log. */
export async function prepareAgent(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  home: AgentHome,
  log: Log,
): Promise<AgentTrial> {
  const isDownload = firstStartMs(command) === DOWNLOAD_MS;
  if (isDownload) log.info(`Preparing the agent, which is downloaded when it is not there yet: ${command.join(' ')}`);
  const since = Date.now();
  const seconds = () => Math.round((Date.now() - since) / 1000);
  const progress = setInterval(() => log.info(`Still preparing the agent, for ${seconds()} s ...`), PROGRESS_MS);
  try {
    const trial = await tryAgent(command, env, home);
    if (isDownload && trial.problem === null) log.info(`The agent is ready after ${seconds()} s.`);
    return trial;
  } finally {
    clearInterval(progress);
  }
}
