import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AcpDriver } from '../../src/agent/acp/acp-driver.js';
import type { AgentDriverOptions, PermissionRequest, SessionUpdate } from '../../src/agent/acp/agent-driver.js';

const node = (...args: string[]) => [process.execPath, ...args];

export const echoAgent = () => node(resolve('.test-build/src/agent/acp/echo-main.js'));
export const badAgent = (way: string) => node(resolve('test/support/bad-agent.mjs'), way);
export const headstrongAgent = () => node(resolve('test/support/headstrong-agent.mjs'));
export const scriptedAgent = (...args: string[]) => node(resolve('test/support/scripted-agent.mjs'), ...args);

/** A driver in its own directory that records its events. */
export class AgentSession {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'agent-session-')));
  readonly updates: SessionUpdate[] = [];
  readonly questions: PermissionRequest[] = [];
  readonly exits: (Error | null)[] = [];
  onPermission: AgentDriverOptions['onPermission'] = () => Promise.resolve({ allow: true });
  readonly driver: AcpDriver;

  constructor(command: string[] | ((directory: string) => string[]), options: Partial<AgentDriverOptions> = {}) {
    this.driver = new AcpDriver({
      command: Array.isArray(command) ? command : command(this.directory),
      cwd: this.directory,
      onUpdate: (update) => this.updates.push(update),
      onPermission: (request) => {
        this.questions.push(request);
        return this.onPermission(request);
      },
      onExit: (error) => this.exits.push(error),
      ...options,
    });
  }

  static async open(command: string[], options?: Partial<AgentDriverOptions>): Promise<AgentSession> {
    const session = new AgentSession(command, options);
    await session.driver.open({ resume: null });
    return session;
  }

  say(text: string) {
    return this.driver.prompt([{ type: 'text', text }]);
  }

  get text(): string {
    return this.updates
      .map((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '',
      )
      .join('');
  }

  file(name: string): string {
    return readFileSync(join(this.directory, name), 'utf8');
  }

  async remove(): Promise<void> {
    await this.driver.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** False also for a zombie. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const file = `/proc/${pid}/stat`;
  return !existsSync(file) || !/\) [ZX] /.test(readFileSync(file, 'utf8'));
}
