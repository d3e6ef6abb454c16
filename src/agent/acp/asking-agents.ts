import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentHome } from '../shared/agent-home.js';
import { isRecord } from '../shared/bounds.js';
import { agentOfCommand, agentOfName } from './known-agents.js';
import { TOLD_MESSAGES } from './told-model.js';

/*
 * Configuration with which known agents ask before they change something. It travels in the environment, on the command
 * line and in files of the client; the user's own files are not touched.
 */

export interface AgentLaunch {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Tools that need no permission at any level. */
const OPENCODE_HARMLESS = { todowrite: 'allow', todoread: 'allow' };
const OPENCODE_READING = {
  read: { '*': 'allow', '*.env': 'deny', '*.env.*': 'deny' },
  grep: 'allow',
  glob: 'allow',
  list: 'allow',
};
/** opencode does not pass on what its subagents ask, so that a question would wait for ever. */
const OPENCODE_SUBAGENT = { '*': 'deny', ...OPENCODE_READING };
const OPENCODE_ASKING = {
  '*': 'ask',
  edit: 'ask',
  bash: 'ask',
  webfetch: 'ask',
  ...OPENCODE_HARMLESS,
  task: { '*': 'deny', general: 'allow', explore: 'allow' },
};
const OPENCODE_CONFIG = {
  agent: {
    build: { permission: OPENCODE_ASKING },
    general: { permission: OPENCODE_SUBAGENT },
    explore: { permission: OPENCODE_SUBAGENT },
  },
};

/** Its modes replace the policy; they are offered only with policies of theirs, which "untrusted" is not. */
const CODEX_ARGUMENTS = ['-c', 'approval_policy="untrusted"', '-c', 'sandbox_mode="read-only"'];

/** Stronger than the allowed tools and policies of the user; an administrator's policies come before it. */
const GEMINI_POLICY = `# Written by the agent client.
[[rule]]
toolName = ["write_file", "replace", "run_shell_command", "web_fetch", "mcp_*"]
decision = "ask_user"
priority = 999
modes = ["default", "autoEdit", "yolo"]
`;

const CLAUDE_ASKING = ['Bash', 'Edit', 'Write', 'NotebookEdit', 'WebFetch'];

/** The command and environment with which an agent asks, as far as it is known how. */
export function askingLaunch(command: readonly string[], env: NodeJS.ProcessEnv, home: AgentHome): AgentLaunch {
  const agent = agentOfCommand(command);
  // Other agents ignore these variables, and opencode behind a script gets them.
  const asking = { ...env, ...opencodeVariables(env) };
  if (agent === 'Codex') return { command: [...command, ...CODEX_ARGUMENTS], env: asking };
  if (agent !== 'Gemini CLI') return { command, env: asking };
  return { command: [...command, '--admin-policy', geminiPolicy(home)], env: asking };
}

/** What is told to an agent when a session is opened; null for nothing. */
export function sessionMeta(agentName: string | null, env: NodeJS.ProcessEnv): Record<string, unknown> | null {
  if (agentName === null || agentOfName(agentName) !== 'Claude Code') return null;
  // With settings from here, the adapter ignores this variable.
  const { modelOverrides, availableModels } = objectOf(env.CLAUDE_MODEL_CONFIG);
  const models = { ...(modelOverrides ? { modelOverrides } : {}), ...(availableModels ? { availableModels } : {}) };
  const settings = { ...models, permissions: { ask: CLAUDE_ASKING } };
  return { claudeCode: { emitRawSDKMessages: TOLD_MESSAGES, options: { settings } } };
}

function opencodeVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    OPENCODE_PERMISSION: JSON.stringify({ ...objectOf(env.OPENCODE_PERMISSION), ...OPENCODE_ASKING }),
    OPENCODE_CONFIG_CONTENT: JSON.stringify(merged(objectOf(env.OPENCODE_CONFIG_CONTENT), OPENCODE_CONFIG)),
  };
}

function geminiPolicy(home: AgentHome): string {
  const file = join(home.directory, 'agents', 'gemini-policy.toml');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, GEMINI_POLICY);
  return file;
}

/** Empty when the text is not a JSON object. */
function objectOf(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function merged(own: Record<string, unknown>, more: Record<string, unknown>): Record<string, unknown> {
  const result = { ...own };
  for (const [key, value] of Object.entries(more)) {
    const known = result[key];
    result[key] = isRecord(known) && isRecord(value) ? merged(known, value) : value;
  }
  return result;
}
