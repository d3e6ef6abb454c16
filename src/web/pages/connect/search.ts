import { type Agent, AGENTS } from './setups.js';
import { type Shell, SHELLS } from './block.js';

/** The part of the address that is this page's own. */
export interface ConnectSearch {
  readonly agent?: Agent;
  readonly shell?: Shell;
}

export function readConnectSearch(raw: Record<string, unknown>, isWindows: boolean): Required<ConnectSearch> {
  const usual = isWindows ? 'powershell' : 'sh';
  return {
    agent: typeof raw.agent === 'string' && raw.agent in AGENTS ? (raw.agent as Agent) : 'claude-code',
    shell: typeof raw.shell === 'string' && raw.shell in SHELLS ? (raw.shell as Shell) : usual,
  };
}
