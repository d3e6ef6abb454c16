import type { Logger } from '@nestjs/common';
import type { WebSocket } from 'ws';
import type { Principal } from '../../common/access/principal.js';
import { newId } from '../../common/new-id.js';
import { parseParams, RPC_ERROR, RpcError } from '../../protocol/json-rpc.js';
import { AGENT_REQUESTS, AnyHello, CLOSE_CODE, RELAY_PROTOCOL } from '../../protocol/relay-protocol.js';
import type { ComputerAgentsService } from '../computers/computer-agents.service.js';
import type { PresenceService } from '../computers/presence/presence.service.js';
import type { AgentRef } from '../turns/turn.js';
import type { TurnProgressService } from '../turns/turn-progress.service.js';
import type { TurnsService } from '../turns/turns.service.js';
import type { AgentHandshakeService } from './agent-handshake.service.js';
import type { AgentUsageService } from './agent-usage.service.js';
import { RpcSocket } from './rpc-socket.js';
import { TurnDispatcher } from './turn-dispatcher.js';
import { toAgentMessage } from './turn-mapping.js';

export interface AgentServices {
  readonly handshake: AgentHandshakeService;
  readonly agents: ComputerAgentsService;
  readonly presence: PresenceService;
  readonly turns: TurnsService;
  readonly progress: TurnProgressService;
  readonly usage: AgentUsageService;
}

/** The socket of one agent: answers its requests and sends it turns. */
export class AgentConnection implements AgentRef {
  readonly connectionId = newId();
  readonly orgId: string;
  private readonly rpc: RpcSocket;
  readonly dispatcher: TurnDispatcher;
  private isGreeted = false;
  private isClosed = false;

  constructor(
    socket: WebSocket,
    private readonly caller: Principal,
    readonly computerId: string,
    private readonly services: AgentServices,
    private readonly logger: Logger,
    onClose: () => void,
  ) {
    this.orgId = caller.orgId;
    this.rpc = new RpcSocket(
      socket,
      logger,
      (method, params) => this.answer(method, params),
      () => {
        this.dispatcher.close();
        this.isClosed = true;
        if (this.isGreeted) void this.services.presence.leave(this);
        onClose();
      },
    );
    this.dispatcher = new TurnDispatcher(this, services, this.rpc.peer, logger);
  }

  /** It gets no further turns, however long the socket takes to close. */
  close(code: number, reason: string): void {
    this.dispatcher.close();
    this.rpc.close(code, reason);
  }

  /** A newer connection of the same computer, on any replica, replaces this one. */
  async closeIfSuperseded(): Promise<void> {
    if (!this.isGreeted || (await this.services.agents.isCurrent(this))) return;
    this.close(CLOSE_CODE.takenOver, 'A newer connection speaks for this computer.');
  }

  private async answer(method: string, params: unknown): Promise<unknown> {
    if (method === 'hello') return this.hello(params);
    if (!this.isGreeted) throw new RpcError(RPC_ERROR.noHello, 'Say hello first.');
    const { turns, progress, usage } = this.services;
    switch (method) {
      case 'turn.renew': {
        const { turns: held } = parseParams(AGENT_REQUESTS['turn.renew'].params, params);
        return { lostTurns: await turns.renew(this, held) };
      }
      case 'message.put': {
        const { turn, messages } = parseParams(AGENT_REQUESTS['message.put'].params, params);
        return progress.putMessages(this, turn, messages.map(toAgentMessage));
      }
      case 'usage.report': {
        const { sessionId, events } = parseParams(AGENT_REQUESTS['usage.report'].params, params);
        return usage.report(this, sessionId, events);
      }
      case 'turn.end': {
        const { turn, reason, messages } = parseParams(AGENT_REQUESTS['turn.end'].params, params);
        await this.dispatcher.release(turn, async () => {
          return (await progress.end(this, turn, reason, messages.map(toAgentMessage))) === 'pending';
        });
        return {};
      }
      case 'turn.abandon': {
        const { turn } = parseParams(AGENT_REQUESTS['turn.abandon'].params, params);
        await this.dispatcher.release(turn, async () => {
          await progress.expire(this, turn);
          return true;
        });
        return {};
      }
      default:
        throw new RpcError(RPC_ERROR.unknownMethod, `There is no method "${method}".`);
    }
  }

  private async hello(params: unknown): Promise<object> {
    this.requireProtocol(parseParams(AnyHello, params).protocol);
    if (this.isGreeted) throw new RpcError(RPC_ERROR.invalidRequest, 'Hello was said already.');
    const hello = parseParams(AGENT_REQUESTS.hello.params, params);
    const { greeting, kept } = await this.services.handshake.welcome(this, this.caller, hello);
    this.isGreeted = true;
    if (this.isClosed) await this.services.presence.leave(this);
    const { name, version } = hello.agent;
    this.logger.log(`${name} ${version} speaks for computer ${this.computerId} (connection ${this.connectionId})`);
    // After the answer, so that no turn overtakes it.
    setImmediate(() => {
      this.dispatcher.open(hello.problem === undefined ? hello.slots : 0, kept);
      void this.catchUp();
    });
    return greeting;
  }

  private requireProtocol(spoken: number): void {
    if (spoken === RELAY_PROTOCOL) return;
    setImmediate(() => this.close(CLOSE_CODE.protocolError, `This service speaks protocol ${RELAY_PROTOCOL}.`));
    throw new RpcError(RPC_ERROR.invalidParams, `protocol: this service speaks ${RELAY_PROTOCOL}`);
  }

  /** Notifications that came before the hello was answered were ignored. */
  private async catchUp(): Promise<void> {
    try {
      await this.closeIfSuperseded();
      await this.dispatcher.resync();
    } catch (error) {
      this.logger.warn(`Computer ${this.computerId} cannot be looked after: ${String(error)}`);
    }
  }
}
