import type { Logger } from '@nestjs/common';
import type { RpcPeer } from '../../protocol/rpc-peer.js';
import type { ConnectedAgent, ReservedSlot } from '../turns/connected-agents.js';
import { type AgentRef, type BegunTurn, type TurnRef } from '../turns/turn.js';
import type { TurnProgressService } from '../turns/turn-progress.service.js';
import type { PreparedTurn, TurnsService } from '../turns/turns.service.js';
import { turnKey } from '../../protocol/relay-protocol.js';

/** For the agent to acknowledge a turn. */
const ACKNOWLEDGE_TIMEOUT_MS = 10_000;
const RETRY_MS = 1_000;

/** Sends an agent as many turns as it has slots for, and cancels those that ended without it. */
export class TurnDispatcher implements ConnectedAgent {
  readonly connectionId: string;
  /** 0 before the hello, and for an agent that reported a problem. */
  private slots = 0;
  private readonly held = new Map<string, TurnRef>();
  /** Keys of held turns that the agent is ending. */
  private readonly ending = new Set<string>();
  /** Slots kept for turns that are being begun without the queue. */
  private reserved = 0;
  private isFilling = false;
  private isFillingAgain = false;
  private isClosed = false;

  constructor(
    private readonly agent: AgentRef,
    private readonly services: { turns: TurnsService; progress: TurnProgressService },
    private readonly peer: RpcPeer,
    private readonly logger: Logger,
  ) {
    this.connectionId = agent.connectionId;
  }

  open(slots: number, kept: TurnRef[]): void {
    this.slots = slots;
    for (const turn of kept) this.held.set(turnKey(turn), turn);
  }

  close(): void {
    this.isClosed = true;
  }

  /** Sends turns until the slots are full or the queue is empty. A call during another one makes that one look again. */
  async fill(): Promise<void> {
    this.isFillingAgain = true;
    if (this.isFilling) return;
    this.isFilling = true;
    try {
      while (this.isFillingAgain) {
        this.isFillingAgain = false;
        while (!this.isClosed && this.hasFreeSlot && (await this.sendNext()));
      }
    } catch (error) {
      this.logger.warn(`Turns of computer ${this.agent.computerId} cannot be read: ${String(error)}`);
      setTimeout(() => void this.fill(), RETRY_MS).unref(); // there may be no other event that triggers it
    } finally {
      this.isFilling = false;
    }
  }

  async resync(): Promise<void> {
    await this.fill();
    await this.cancelEnded();
  }

  reserve(): ReservedSlot | null {
    if (this.isClosed || this.isFilling || !this.hasFreeSlot) return null;
    this.reserved++;
    return {
      use: (turn) => this.sendBegun(turn),
      giveBack: () => {
        this.reserved--;
        void this.fill();
      },
    };
  }

  /** Runs `end`, which ends a turn for the agent and returns whether the session's next turn waits. */
  async release(turn: TurnRef, end: () => Promise<boolean>): Promise<void> {
    const key = turnKey(turn);
    this.ending.add(key);
    try {
      const hasNext = await end();
      const wasFull = !this.hasFreeSlot;
      this.held.delete(key);
      if (hasNext || wasFull) void this.fill();
    } finally {
      this.ending.delete(key);
    }
  }

  private get hasFreeSlot(): boolean {
    return this.held.size + this.reserved < this.slots;
  }

  private async sendNext(): Promise<boolean> {
    const next = await this.services.turns.startNext(this.agent);
    if (next?.turn) this.send(next.turn);
    return next?.othersWait ?? false;
  }

  private async sendBegun(begun: BegunTurn): Promise<void> {
    const turn = await this.services.turns.prepare(this.agent, begun).catch((error: unknown) => {
      // Retried when its lease runs out.
      this.logger.warn(`Computer ${this.agent.computerId} cannot have a turn: ${String(error)}`);
      return null;
    });
    this.reserved--;
    if (turn) this.send(turn);
    else void this.fill();
  }

  private send(turn: PreparedTurn): void {
    const { sessionId, messageId, attempt } = turn;
    const ref = { sessionId, messageId, attempt };
    // A session has one running turn: an earlier one has ended without the agent, which has to stop it first.
    for (const held of this.held.values()) if (held.sessionId === sessionId) this.cancel(held);
    this.held.set(turnKey(ref), ref);
    this.peer
      .request('turn.start', turn, ACKNOWLEDGE_TIMEOUT_MS)
      .catch((error: unknown) => this.onNotAcknowledged(ref, error));
  }

  private async cancelEnded(): Promise<void> {
    // Copied first: turns that begin during the query may be missing in its result.
    const held = [...this.held];
    if (held.length === 0) return;
    const running = new Set((await this.services.turns.listRunning(this.agent)).map(turnKey));
    for (const [key, turn] of held) if (!running.has(key) && this.cancel(turn)) void this.fill();
  }

  /** Returns whether the agent held it. A turn that the agent is ending itself needs no message. */
  private cancel(turn: TurnRef): boolean {
    const key = turnKey(turn);
    if (!this.held.delete(key)) return false;
    if (!this.ending.has(key)) this.peer.notify('turn.cancel', turn);
    return true;
  }

  /** After the socket closed nothing is known: the agent may have the turn, and reports it in its next hello. */
  private async onNotAcknowledged(turn: TurnRef, error: unknown): Promise<void> {
    if (this.isClosed || !this.held.delete(turnKey(turn))) return;
    this.logger.warn(`Computer ${this.agent.computerId} did not take a turn: ${String(error)}`);
    await this.services.progress
      .expire(this.agent, turn)
      .catch((failure: unknown) => this.logger.warn(String(failure)));
  }
}
