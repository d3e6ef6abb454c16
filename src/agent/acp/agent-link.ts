import { client, type ClientConnection, type ClientContext, methods } from '@agentclientprotocol/sdk';
import type { RequestPermissionOutcome } from '@agentclientprotocol/sdk';
import { type AgentDriverOptions, AgentExited, AgentFailed, type PermissionRequest } from './agent-driver.js';
import { exitMessage } from './agent-errors.js';
import { AgentStream } from './agent-stream.js';
import { ChildGroup } from './child-group.js';

export const CLIENT_INFO = { name: 'agent-platform', version: '0.1.0' };

export interface LinkHandlers {
  /** Unparsed parameters of `session/update` and of messages about the model. */
  readonly onUpdate: (params: unknown) => void;
  readonly onPermission: (request: PermissionRequest) => Promise<RequestPermissionOutcome>;
  /** Connection and processes have ended. Not called after `close`. */
  readonly onLost: (failure: AgentFailed) => void;
}

/** An agent's processes and the connection to them; when one ends, so does the other. */
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
      onEnd: (error) => void this.handleLoss(error),
    });
    this.connection = client({ name: CLIENT_INFO.name })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        return { outcome: await handlers.onPermission(params) };
      })
      .connect(this.stream);
    // Other processes of the group may keep its output open.
    void child.exited.then(() => child.end());
  }

  static async start({ command, cwd, env, graceMs }: AgentDriverOptions, handlers: LinkHandlers): Promise<AgentLink> {
    const [program = '', ...args] = command;
    return new AgentLink(await ChildGroup.start({ command: program, args, cwd, env, graceMs }), handlers);
  }

  get agent(): ClientContext {
    return this.connection.agent;
  }

  /** Why the agent is not usable any more; null while it is. */
  get failure(): AgentFailed | null {
    return this.reason;
  }

  /** The last output outside of the protocol. */
  get lastOutput(): string {
    return this.child.stderrTail || this.stream.strayLine;
  }

  async close(): Promise<void> {
    this.reason ??= new AgentExited('The session with the agent was closed.');
    this.connection.close(this.reason);
    await this.child.end();
  }

  private async handleLoss(error: AgentFailed | null): Promise<void> {
    if (!error) await this.child.end(); // only then its exit code and last output are known
    const { ownExit } = this.child;
    const message = exitMessage(ownExit, this.lastOutput);
    const failure = error ?? (ownExit ? new AgentExited(message) : new AgentFailed(message));
    if (this.reason) return;
    this.reason = failure;
    this.stream.close();
    await this.child.end();
    this.handlers.onLost(failure);
  }
}
