import { basename } from 'node:path';

export type KnownAgent = 'Claude Code' | 'Gemini CLI' | 'Codex' | 'opencode';

/** Names of packages, programs and, in `initialize`, of agents. */
const NAMES: Record<KnownAgent, readonly string[]> = {
  'Claude Code': ['claude-agent-acp', 'claude-code-acp'],
  'Gemini CLI': ['gemini-cli', 'gemini'],
  Codex: ['codex-acp'],
  opencode: ['opencode-ai', 'opencode'],
};

/** Words before the program, as in `npx -y gemini-cli` or `node gemini.js`. */
const LAUNCHERS = new Set('npx bunx pnpx npm pnpm yarn bun deno node env nice exec dlx run x'.split(' '));

/** By the program or package that a command line starts; null for others, wrappers among them. */
export function agentOfCommand(command: readonly string[]): KnownAgent | null {
  const program = command.find((word) => !/^-|^\w+=|^\d+$/.test(word) && !LAUNCHERS.has(basename(word)));
  return program === undefined ? null : agentOfName(program);
}

/** By the name that an agent gives itself, the name of a package or the path of a program. */
export function agentOfName(name: string): KnownAgent | null {
  const plain = basename(name.toLowerCase())
    .replace(/@.*$/, '')
    .replace(/\.(?:exe|cmd|[cm]?js)$/, '');
  const found = Object.entries(NAMES).find(([, names]) => names.includes(plain));
  return found ? (found[0] as KnownAgent) : null;
}
