import type { Logger } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { v7 as uuidv7 } from 'uuid';
import type { Principal } from '../../common/access/principal.js';
import { parseParams, RPC_ERROR, RpcError } from '../../protocol/json-rpc.js';
import { AGENT_REQUESTS, AnyHello, CLOSE_CODE, RELAY_PROTOCOL } from '../../protocol/relay-protocol.js';
import type { TurnAttempt, TurnTaker } from '../messages/turns.repository.js';
import { turnKey } from '../messages/turns.service.js';
import type { AgentRelay } from './agent-relay.service.js';
import { RpcSocket } from './rpc-socket.js';
import { toAgentMessage } from './turn-mapping.js';

/** An agent has this long to say that it has taken a turn. */
const TAKE_TIMEOUT_MS = 10_000;
const RETRY_MS = 1_000;

/** One connected agent: what it asks for, and the turns it works on. */
export class AgentConnection implements TurnTaker {
  readonly connectionId = uuidv7();
  readonly orgId: string;
  private readonly rpc: RpcSocket;
  private readonly held = new Map<string, TurnAttempt>();
  private isGreeted = false;
  /** How many turns it works on at a time; none as long as it has not said hello, or cannot work. */
  private slots = 0;
  private isFilling = false;
  private isFillingAgain = false;
  private isClosed = false;

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
        this.isClosed = true;
        onClose();
      },
    );
  }

  /** It gets no further turns, however long it takes to hang up. */
  close(code: number, reason: string): void {
    this.isClosed = true;
    this.rpc.close(code, reason);
  }

  /** Turns of this computer have changed: those that ended elsewhere are cancelled, and free slots are filled. */
  async wake(): Promise<void> {
    await this.fill();
    // Those that are begun while the question is on its way may be missing in the answer.
    const held = [...this.held];
    if (held.length === 0) return;
    const running = new Set((await this.relay.listRunning(this)).map(turnKey));
    for (const [key, turn] of held) if (!running.has(key) && this.cancel(turn)) void this.fill();
  }

  /** Another connection may speak for the computer by now, here or on another replica; then this one goes. */
  async giveWay(): Promise<void> {
    if (!this.isGreeted || (await this.relay.isSpeaker(this))) return;
    this.close(CLOSE_CODE.takenOver, 'A newer connection speaks for this computer.');
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
        const status = await this.relay.endTurn(this, turn, reason, messages.map(toAgentMessage));
        return this.letGo(turn, status === 'pending');
      }
      case 'turn.abandon': {
        const { turn } = parseParams(AGENT_REQUESTS['turn.abandon'].params, params);
        await this.relay.loseTurn(this, turn);
        return this.letGo(turn, true);
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
    for (const turn of kept) this.held.set(turnKey(turn), turn);
    this.isGreeted = true;
    this.slots = hello.problem === undefined ? hello.slots : 0;
    const { name, version } = hello.agent;
    this.logger.log(`${name} ${version} speaks for computer ${this.computerId} (connection ${this.connectionId})`);
    setImmediate(() => void this.catchUp()); // behind the answer
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

  /** Says whether there was something to cancel. */
  private cancel(turn: TurnAttempt): boolean {
    if (!this.held.delete(turnKey(turn))) return false;
    this.rpc.peer.notify('turn.cancel', turn);
    return true;
  }

  /** The slot is free: for the next turn of the same session, or for others if it was the last one. */
  private letGo(turn: TurnAttempt, hasNext: boolean): object {
    const wasFull = this.held.size >= this.slots;
    this.held.delete(turnKey(turn));
    if (hasNext || wasFull) void this.fill();
    return {};
  }

  /** Gives the agent turns as long as it has free slots; one call at a time, and once more if something changed meanwhile. */
  async fill(): Promise<void> {
    this.isFillingAgain = true;
    if (this.isFilling) return;
    this.isFilling = true;
    try {
      while (this.isFillingAgain) {
        this.isFillingAgain = false;
        while (!this.isClosed && this.held.size < this.slots && (await this.startNext()));
      }
    } catch (error) {
      this.logger.warn(`Turns of computer ${this.computerId} cannot be read: ${String(error)}`);
      setTimeout(() => void this.fill(), RETRY_MS).unref(); // nothing else may happen that would make it look again
    } finally {
      this.isFilling = false;
    }
  }

  /** Says whether it may be worth asking again. */
  private async startNext(): Promise<boolean> {
    const next = await this.relay.startNext(this);
    if (!next) return false;
    const { turn, othersWait } = next;
    const { sessionId, messageId, attempt } = turn;
    const ref = { sessionId, messageId, attempt };
    // A session has one turn at a time: the one before has ended elsewhere, and the agent hears of that first.
    for (const held of this.held.values()) if (held.sessionId === sessionId) this.cancel(held);
    this.held.set(turnKey(ref), ref);
    this.rpc.peer.request('turn.start', turn, TAKE_TIMEOUT_MS).catch((error: unknown) => this.notTaken(ref, error));
    return othersWait;
  }

  /** While the socket is closed nothing is known: the agent may have the turn, and says so when it is back. */
  private async notTaken(turn: TurnAttempt, error: unknown): Promise<void> {
    if (this.isClosed || !this.held.delete(turnKey(turn))) return;
    this.logger.warn(`Computer ${this.computerId} did not take a turn: ${String(error)}`);
    await this.relay.loseTurn(this, turn).catch((failure: unknown) => this.logger.warn(String(failure)));
  }
}
