/** The agents of docs/agent.md, by what is put behind `--`. */
export const AGENT_COMMANDS = {
  'claude-code': { name: 'Claude Code', command: 'npx -y @agentclientprotocol/claude-agent-acp@0.49.0' },
  'gemini-cli': { name: 'Gemini CLI', command: 'npx -y @google/gemini-cli@0.61.0 --acp' },
  codex: { name: 'Codex', command: 'npx -y @agentclientprotocol/codex-acp@2.6.0' },
  opencode: { name: 'opencode', command: 'npx -y opencode-ai@1.18.18 acp' },
  echo: { name: 'Only try it', command: '' },
} as const;

export type AgentChoice = keyof typeof AGENT_COMMANDS;

interface Connection {
  readonly url: string;
  readonly name: string;
  readonly computerId: string;
  /** Absent: it was shown before. */
  readonly token?: string | undefined;
  readonly agent: AgentChoice;
}

/** What is typed on the machine, as docs/agent.md has it. */
export function connectCommand({ url, name, computerId, token, agent }: Connection): string {
  const login = `echo ${token ?? ''} | npm run -s agent -- login --url ${url} --name ${quoted(name)} --computer ${computerId}`;
  const { command } = AGENT_COMMANDS[agent];
  const connect = `npm run agent -- connect --name ${quoted(name)}${command && ` -- ${command}`}`;
  return [...(token === undefined ? [] : [login]), connect].join('\n');
}

/** For a POSIX shell: nothing in a name is run. */
export function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
