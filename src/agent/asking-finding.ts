import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { agentOfCommand, agentOfName, type KnownAgent } from './acp/known-agents.js';
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
    return [{ isWell: false, what: WHAT, note, remedy }, ...sandbox(agent, env)];
  }
  return [{ isWell: true, what: WHAT, note: noteOn(agent, command, asked) }, ...sandbox(agent, env)];
}

function noteOn(agent: KnownAgent | null, command: readonly string[], asked: string | undefined): string {
  const isTold = agent !== null && (!BY_COMMAND.includes(agent) || agentOfCommand(command) === agent);
  if (isTold) return `${agent} is told to ask before it changes something`;
  if (asked !== undefined) return `this agent was seen asking on ${asked.slice(0, 10)}`;
  const reason = agent === null ? 'this agent is unknown' : `the command that starts ${agent} is unknown`;
  return `${reason}; a turn ends when something is changed without asking`;
}

/** Codex runs commands in a sandbox that Linux does not have by itself. */
function sandbox(agent: KnownAgent | null, { PATH = '' }: NodeJS.ProcessEnv): Finding[] {
  if (agent !== 'Codex' || process.platform !== 'linux') return [];
  const what = 'Sandbox';
  const found = PATH.split(delimiter).find((directory) => directory !== '' && isProgram(join(directory, 'bwrap')));
  if (found !== undefined) return [{ isWell: true, what, note: join(found, 'bwrap') }];
  const remedy =
    'Install the package "bubblewrap"; without it, Codex may have to ask for every command that only reads.';
  return [{ isWell: false, what, note: 'there is no bwrap, with which Codex confines commands', remedy }];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
