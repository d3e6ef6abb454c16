import type { Logger } from '@nestjs/common';
import type { WebSocket } from 'ws';
import type { Principal } from '../../common/access/principal.js';
import { newId } from '../../common/new-id.js';
import { parseParams, RPC_ERROR, RpcError } from '../../protocol/json-rpc.js';
import { AGENT_REQUESTS, AnyHello, CLOSE_CODE, RELAY_PROTOCOL } from '../../protocol/relay-protocol.js';
import type { ConnectedAgent, ReservedSlot } from '../turns/connected-agents.js';
import type { TurnTaker } from '../turns/turns.repository.js';
import type { AgentRelay } from './agent-relay.service.js';
import { RpcSocket } from './rpc-socket.js';
import { TurnDispatcher } from './turn-dispatcher.js';
import { toAgentMessage } from './turn-mapping.js';

/** One connected agent, and what it asks for. */
export class AgentConnection implements TurnTaker, ConnectedAgent {
  readonly connectionId = newId();
  readonly orgId: string;
  private readonly rpc: RpcSocket;
  private readonly feed: TurnDispatcher;
  private isGreeted = false;

  constructor(
    socket: WebSocket,
    private readonly caller: Principal,
    readonly computerId: string,
    private readonly relay: AgentRelay,
    private readonly logger: Logger,
    onClose: () => void,
  ) {
    this.orgId = caller.orgId;
    this.rpc = new RpcSocket(
      socket,
      logger,
      (method, params) => this.answer(method, params),
      () => {
        this.feed.close();
        onClose();
      },
    );
    this.feed = new TurnDispatcher(this, relay, this.rpc.peer, logger);
  }

  /** It gets no further turns, however long it takes to hang up. */
  close(code: number, reason: string): void {
    this.feed.close();
    this.rpc.close(code, reason);
  }

  /** A turn waits for this computer. */
  fill(): Promise<void> {
    return this.feed.fill();
  }

  /** Turns of this computer have changed: those that ended elsewhere are cancelled, and free slots are filled. */
  async wake(): Promise<void> {
    await this.feed.fill();
    await this.feed.cancelEnded();
  }

  /** Another connection may speak for the computer by now, here or on another replica; then this one goes. */
  async giveWay(): Promise<void> {
    if (!this.isGreeted || (await this.relay.isSpeaker(this))) return;
    this.close(CLOSE_CODE.takenOver, 'A newer connection speaks for this computer.');
  }

  reserve(): ReservedSlot | null {
    return this.feed.reserve();
  }

  private async answer(method: string, params: unknown): Promise<unknown> {
    if (method === 'hello') return this.hello(params);
    if (!this.isGreeted) throw new RpcError(RPC_ERROR.noHello, 'Say hello first.');
    switch (method) {
      case 'turn.renew': {
        const { turns } = parseParams(AGENT_REQUESTS['turn.renew'].params, params);
        return { lostTurns: await this.relay.renew(this, turns) };
      }
      case 'message.put': {
        const { turn, messages } = parseParams(AGENT_REQUESTS['message.put'].params, params);
        return this.relay.putMessages(this, turn, messages.map(toAgentMessage));
      }
      case 'usage.report': {
        const { sessionId, events } = parseParams(AGENT_REQUESTS['usage.report'].params, params);
        return this.relay.reportUsage(this, sessionId, events);
      }
      case 'turn.end': {
        const { turn, reason, messages } = parseParams(AGENT_REQUESTS['turn.end'].params, params);
        await this.feed.release(turn, async () => {
          return (await this.relay.endTurn(this, turn, reason, messages.map(toAgentMessage))) === 'pending';
        });
        return {};
      }
      case 'turn.abandon': {
        const { turn } = parseParams(AGENT_REQUESTS['turn.abandon'].params, params);
        await this.feed.release(turn, async () => {
          await this.relay.loseTurn(this, turn);
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
    const { greeting, kept } = await this.relay.welcome(this, this.caller, hello);
    this.isGreeted = true;
    const { name, version } = hello.agent;
    this.logger.log(`${name} ${version} speaks for computer ${this.computerId} (connection ${this.connectionId})`);
    // Behind the answer: no turn comes before it.
    setImmediate(() => {
      this.feed.open(hello.problem === undefined ? hello.slots : 0, kept);
      void this.catchUp();
    });
    return greeting;
  }

  private requireProtocol(spoken: number): void {
    if (spoken === RELAY_PROTOCOL) return;
    setImmediate(() => this.close(CLOSE_CODE.protocolError, `This service speaks protocol ${RELAY_PROTOCOL}.`));
    throw new RpcError(RPC_ERROR.invalidParams, `protocol: this service speaks ${RELAY_PROTOCOL}`);
  }

  /** What was announced before it was greeted went past it: a newer connection, turns that ended. */
  private async catchUp(): Promise<void> {
    try {
      await this.giveWay();
      await this.wake();
    } catch (error) {
      this.logger.warn(`Computer ${this.computerId} cannot be looked after: ${String(error)}`);
    }
  }
}
