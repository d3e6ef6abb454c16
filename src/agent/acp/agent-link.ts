import { client, type ClientConnection, type ClientContext, methods } from '@agentclientprotocol/sdk';
import type { RequestPermissionOutcome } from '@agentclientprotocol/sdk';
import { type AgentDriverOptions, AgentExited, AgentFailed, type PermissionRequest } from './agent-driver.js';
import { exitMessage } from './agent-errors.js';
import { AgentStream } from './agent-stream.js';
import { ChildGroup } from './child-group.js';

export const CLIENT_INFO = { name: 'agent-platform', version: '0.1.0' };

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
    // Others of its group may hold its output; when they are gone too, the output ends.
    void child.exited.then(() => child.end());
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
    this.reason ??= new AgentExited('The session with the agent was closed.');
    this.connection.close(this.reason);
    await this.child.end();
  }

  /** Its output has ended, or is of no use any more because of `error`. */
  private async lose(error: AgentFailed | null): Promise<void> {
    if (!error) await this.child.end(); // until then it is not known how it ended, nor what its last words were
    const { ownExit } = this.child;
    const message = exitMessage(ownExit, this.lastWords);
    const failure = error ?? (ownExit ? new AgentExited(message) : new AgentFailed(message));
    if (this.reason) return;
    this.reason = failure;
    this.stream.close();
    await this.child.end();
    this.handlers.onLost(failure);
  }
}
