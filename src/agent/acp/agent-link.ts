import { client, type ClientConnection, type ClientContext, methods } from '@agentclientprotocol/sdk';
import type { RequestPermissionOutcome } from '@agentclientprotocol/sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { type AgentDriverOptions, AgentExited, AgentFailed, type PermissionRequest } from './agent-driver.js';
import { exitMessage } from './agent-errors.js';
import { AgentStream } from './agent-stream.js';
import { ChildGroup } from './child-group.js';

export const CLIENT_INFO = { name: 'agent-platform', version: '0.1.0' };
/** How long the last words of a process that has ended may take to arrive. */
const DRAIN_MS = 250;

export interface LinkHandlers {
  /** The parameters of `session/update`, as they came. */
  readonly onUpdate: (params: unknown) => void;
  readonly onPermission: (request: PermissionRequest) => Promise<RequestPermissionOutcome>;
  /** The link was lost and everything has ended. Not called after `close`. */
  readonly onLost: (failure: AgentFailed) => void;
}

/** An agent's processes and the connection to them. When one is lost, the other is ended. */
export class AgentLink {
  private readonly connection: ClientConnection;
  private readonly stream: AgentStream;
  private reason: AgentFailed | null = null;

  private constructor(
    private readonly child: ChildGroup,
    private readonly handlers: LinkHandlers,
  ) {
    this.stream = new AgentStream(child.stdout, child.stdin, {
      onUpdate: handlers.onUpdate,
      onEnd: (error) => void this.lose(error),
    });
    this.connection = client({ name: CLIENT_INFO.name })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        return { outcome: await handlers.onPermission(params) };
      })
      .connect(this.stream);
    void child.exited.then(() => this.lose(null));
  }

  static async start({ command, cwd, env, graceMs }: AgentDriverOptions, handlers: LinkHandlers): Promise<AgentLink> {
    const [program = '', ...args] = command;
    return new AgentLink(await ChildGroup.start({ command: program, args, cwd, env, graceMs }), handlers);
  }

  get agent(): ClientContext {
    return this.connection.agent;
  }

  /** Why nothing can be asked of the agent any more; null as long as it can. */
  get failure(): AgentFailed | null {
    return this.reason;
  }

  /** The last that the agent has said outside of the protocol. */
  get lastWords(): string {
    return this.child.stderrTail || this.stream.strayLine;
  }

  async close(): Promise<void> {
    this.fail(new AgentExited('The session with the agent was closed.'));
    await this.child.end();
  }

  private async lose(error: AgentFailed | null): Promise<void> {
    if (this.reason) return;
    // Its output may end before it does, and it may end before all of its output is here.
    const exit = await Promise.race([this.child.exited, delay(DRAIN_MS, null)]);
    if (exit && !error && !this.child.stdout.closed) await delay(DRAIN_MS);
    const message = exitMessage(exit, this.lastWords);
    const failure = error ?? (exit ? new AgentExited(message) : new AgentFailed(message));
    if (!this.fail(failure)) return;
    await this.child.end();
    this.handlers.onLost(failure);
  }

  /** Whether it had not failed before. Requests that wait for an answer are rejected. */
  private fail(failure: AgentFailed): boolean {
    if (this.reason) return false;
    this.reason = failure;
    this.connection.close(failure);
    return true;
  }
}
