import { Injectable } from '@nestjs/common';
import type { BegunTurn } from './turn.js';

export interface ConnectedAgent {
  readonly connectionId: string;
  /** Keeps a slot free for one turn; null when there is none, or when queued turns may be waiting for it. */
  reserve(): ReservedSlot | null;
}

export interface ReservedSlot {
  /** Sends a turn that was committed as begun by this agent; does not throw. */
  use(turn: BegunTurn): Promise<void>;
  giveBack(): void;
}

/** The agents that are connected to this process: one with a free slot begins a turn without the queue. */
@Injectable()
export class ConnectedAgents {
  private readonly agents = new Map<string, ConnectedAgent>();

  add(agent: ConnectedAgent): () => void {
    this.agents.set(agent.connectionId, agent);
    return () => this.agents.delete(agent.connectionId);
  }

  reserve(connectionId: string | null): ReservedSlot | null {
    return this.agents.get(connectionId ?? '')?.reserve() ?? null;
  }
}
