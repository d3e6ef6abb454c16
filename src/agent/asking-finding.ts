import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { agentOfCommand, agentOfName, type KnownAgent } from './acp/known-agents.js';
import { hasOwnCodex } from './acp/telemetry-launch.js';
import type { AgentHome } from './shared/agent-home.js';
import { AskingRecord } from './shared/asking-record.js';

export interface Finding {
  readonly isWell: boolean;
  readonly what: string;
  readonly note: string;
  readonly remedy?: string;
}

export interface AskingOptions {
  /** As given; empty for the built-in agent. */
  readonly command: readonly string[];
  /** As the agent calls itself. */
  readonly agentName: string | null;
  readonly home: AgentHome;
  readonly env: NodeJS.ProcessEnv;
}

const WHAT = 'Permissions';
const HELP_MS = 5_000;
/** They are configured on their command line, which has to be known for that. */
const BY_COMMAND: readonly KnownAgent[] = ['Gemini CLI', 'Codex'];

/** Whether the agent asks before it changes something: known and configured, seen, or unknown. */
export function askingFindings(options: AskingOptions): Finding[] {
  const { command, agentName, home, env } = options;
  if (command.length === 0) return [{ isWell: true, what: WHAT, note: 'the built-in agent asks' }];
  const agent = agentOfCommand(command) ?? (agentName === null ? null : agentOfName(agentName));
  const { asked, actedUnasked } = new AskingRecord(home).find(command);
  if (actedUnasked !== undefined && actedUnasked > (asked ?? '')) {
    const note = `this agent changed something without asking on ${actedUnasked.slice(0, 10)}`;
    const remedy = 'Such turns end with an error. Configure the agent so that it asks.';
    return [{ isWell: false, what: WHAT, note, remedy }, ...sandbox(agent, command, env)];
  }
  return [{ isWell: true, what: WHAT, note: noteOn(agent, command, asked) }, ...sandbox(agent, command, env)];
}

function noteOn(agent: KnownAgent | null, command: readonly string[], asked: string | undefined): string {
  const isTold = agent !== null && (!BY_COMMAND.includes(agent) || agentOfCommand(command) === agent);
  if (isTold) return `${agent} is told to ask before it changes something`;
  if (asked !== undefined) return `this agent was seen asking on ${asked.slice(0, 10)}`;
  const reason = agent === null ? 'this agent is unknown' : `the command that starts ${agent} is unknown`;
  return `${reason}; a turn ends when something is changed without asking`;
}

/** Codex runs commands in a sandbox that Linux does not have by itself. */
function sandbox(agent: KnownAgent | null, command: readonly string[], { PATH = '' }: NodeJS.ProcessEnv): Finding[] {
  if (agent !== 'Codex' || process.platform !== 'linux') return [];
  const what = 'Sandbox';
  const programs = PATH.split(delimiter).flatMap((directory) => (directory === '' ? [] : join(directory, 'bwrap')));
  const found = programs.find(isProgram);
  if (found !== undefined && hasArgv0(found)) return [{ isWell: true, what, note: found }];
  if (found !== undefined) {
    const remedy =
      'Install bubblewrap 0.9 or later. Codex brings its own with @agentclientprotocol/codex-acp when there is none.';
    return [{ isWell: false, what, note: `${found} is too old, so that commands of Codex fail`, remedy }];
  }
  if (hasOwnCodex(command)) return [{ isWell: true, what, note: 'Codex brings its own bwrap' }];
  const remedy =
    'Install "bubblewrap" 0.9 or later, or use @agentclientprotocol/codex-acp; else Codex asks for every command that only reads.';
  return [{ isWell: false, what, note: 'there is no bwrap, with which Codex confines commands', remedy }];
}

/** Versions before 0.9 do not have the option, without which Codex does not start a command. */
function hasArgv0(program: string): boolean {
  const { error, stdout } = spawnSync(program, ['--help'], { encoding: 'utf8', timeout: HELP_MS });
  return error === undefined && stdout.includes('--argv0');
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
