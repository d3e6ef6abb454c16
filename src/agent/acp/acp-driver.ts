import type { ContentBlock } from '../../protocol/relay-protocol.js';
import type { AgentChoices, AgentDriver, AgentDriverOptions, OpenedSession, PromptResult } from './agent-driver.js';

/** Drives any agent that speaks the Agent Client Protocol on its standard input and output. */
export class AcpDriver implements AgentDriver {
  constructor(private readonly options: AgentDriverOptions) {}

  open(options: { resume: string | null }): Promise<OpenedSession> {
    return Promise.reject(new Error(`to be written ${String(options)} ${String(this.options)}`));
  }

  configure(choices: AgentChoices): Promise<string[]> {
    return Promise.reject(new Error(`to be written ${String(choices)}`));
  }

  prompt(blocks: readonly ContentBlock[]): Promise<PromptResult> {
    return Promise.reject(new Error(`to be written ${String(blocks)}`));
  }

  cancel(): Promise<void> {
    return Promise.reject(new Error('to be written'));
  }

  close(): Promise<void> {
    return Promise.reject(new Error('to be written'));
  }
}
