import type { Logger } from '@nestjs/common';
import type { RpcPeer } from '../../protocol/rpc-peer.js';
import type { ReservedSlot } from '../turns/connected-agents.js';
import type { NextTurn, TurnAttempt, TurnTaker } from '../turns/turns.repository.js';
import { type StartedTurn, turnKey } from '../turns/turns.service.js';
import type { AgentRelay } from './agent-relay.service.js';

/** An agent has this long to say that it has taken a turn. */
const TAKE_TIMEOUT_MS = 10_000;
const RETRY_MS = 1_000;

/** The turns of one connected agent: as many as it has slots for, and news of those that ended elsewhere. */
export class TurnDispatcher {
  /** How many turns the agent works on at a time; none as long as it has not said hello, or cannot work. */
  private slots = 0;
  private readonly held = new Map<string, TurnAttempt>();
  /** Those of them that the agent is ending right now. */
  private readonly ending = new Set<string>();
  /** Slots that are kept for turns that are being begun elsewhere. */
  private reserved = 0;
  private isFilling = false;
  private isFillingAgain = false;
  private isClosed = false;

  constructor(
    private readonly taker: TurnTaker,
    private readonly relay: AgentRelay,
    private readonly peer: RpcPeer,
    private readonly logger: Logger,
  ) {}

  /** The agent works on `kept` already. */
  open(slots: number, kept: TurnAttempt[]): void {
    this.slots = slots;
    for (const turn of kept) this.held.set(turnKey(turn), turn);
  }

  close(): void {
    this.isClosed = true;
  }

  /** Gives the agent turns as long as it has free slots; one call at a time, and once more if something changed meanwhile. */
  async fill(): Promise<void> {
    this.isFillingAgain = true;
    if (this.isFilling) return;
    this.isFilling = true;
    try {
      while (this.isFillingAgain) {
        this.isFillingAgain = false;
        while (!this.isClosed && this.hasFreeSlot && (await this.startNext()));
      }
    } catch (error) {
      this.logger.warn(`Turns of computer ${this.taker.computerId} cannot be read: ${String(error)}`);
      setTimeout(() => void this.fill(), RETRY_MS).unref(); // nothing else may happen that would make it look again
    } finally {
      this.isFilling = false;
    }
  }

  /** Tells the agent to stop what is not running any more. */
  async cancelEnded(): Promise<void> {
    // Those that are begun while the question is on its way may be missing in the answer.
    const held = [...this.held];
    if (held.length === 0) return;
    const running = new Set((await this.relay.listRunning(this.taker)).map(turnKey));
    for (const [key, turn] of held) if (!running.has(key) && this.cancel(turn)) void this.fill();
  }

  /** See `ConnectedAgent`. */
  reserve(): ReservedSlot | null {
    if (this.isClosed || this.isFilling || !this.hasFreeSlot) return null;
    this.reserved++;
    return {
      leaseMs: this.relay.leaseMs,
      use: (turn) => this.take(turn),
      giveBack: () => {
        this.reserved--;
        void this.fill();
      },
    };
  }

  /** Runs `end`, with which the agent ends a turn; it says whether the next one of the same session waits. */
  async release(turn: TurnAttempt, end: () => Promise<boolean>): Promise<void> {
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

  /** Says whether it may be worth asking again. */
  private async startNext(): Promise<boolean> {
    const next = await this.relay.startNext(this.taker);
    if (next?.turn) this.give(next.turn);
    return next?.othersWait ?? false;
  }

  /** A turn that was begun for this agent when its message was posted. */
  private async take(next: NextTurn): Promise<void> {
    const turn = await this.relay.prepare(this.taker, next).catch((error: unknown) => {
      // It is offered again when its lease runs out.
      this.logger.warn(`Computer ${this.taker.computerId} cannot have a turn: ${String(error)}`);
      return null;
    });
    this.reserved--;
    if (turn) this.give(turn);
    else void this.fill();
  }

  private give(turn: StartedTurn): void {
    const { sessionId, messageId, attempt } = turn;
    const ref = { sessionId, messageId, attempt };
    // A session has one turn at a time: the one before has ended elsewhere, and the agent hears of that first.
    for (const held of this.held.values()) if (held.sessionId === sessionId) this.cancel(held);
    this.held.set(turnKey(ref), ref);
    this.peer.request('turn.start', turn, TAKE_TIMEOUT_MS).catch((error: unknown) => this.notTaken(ref, error));
  }

  /** Says whether there was something to cancel. What the agent is ending itself it need not hear of. */
  private cancel(turn: TurnAttempt): boolean {
    const key = turnKey(turn);
    if (!this.held.delete(key)) return false;
    if (!this.ending.has(key)) this.peer.notify('turn.cancel', turn);
    return true;
  }

  /** While the socket is closed nothing is known: the agent may have the turn, and says so when it is back. */
  private async notTaken(turn: TurnAttempt, error: unknown): Promise<void> {
    if (this.isClosed || !this.held.delete(turnKey(turn))) return;
    this.logger.warn(`Computer ${this.taker.computerId} did not take a turn: ${String(error)}`);
    await this.relay.loseTurn(this.taker, turn).catch((failure: unknown) => this.logger.warn(String(failure)));
  }
}
