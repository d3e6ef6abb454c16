import { Injectable } from '@nestjs/common';
import type { NextTurn } from './turns.repository.js';

/** An agent that is connected to this process, and may have time for a turn. */
export interface ConnectedAgent {
  readonly connectionId: string;
  /** Keeps a slot free for one turn; null when there is none, or when others may be waiting for it. */
  reserve(): ReservedSlot | null;
}

/** Has to be used or given back. */
export interface ReservedSlot {
  readonly leaseMs: number;
  /** The turn was begun for this agent, and is committed: sends it, and does not fail. */
  use(turn: NextTurn): Promise<void>;
  giveBack(): void;
}

/** The agents that are connected to this process. A message for one that has time does not wait in the queue. */
@Injectable()
export class ConnectedAgents {
  private readonly agents = new Map<string, ConnectedAgent>();

  /** Returns how to take it out again. */
  add(agent: ConnectedAgent): () => void {
    this.agents.set(agent.connectionId, agent);
    return () => this.agents.delete(agent.connectionId);
  }

  reserve(connectionId: string | null): ReservedSlot | null {
    return this.agents.get(connectionId ?? '')?.reserve() ?? null;
  }
}
