import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { Clock } from '../../common/time/clock.js';
import { type HelloParams, type HelloResult, RELAY_PROTOCOL, turnKey } from '../../protocol/relay-protocol.js';
import { ComputerAgentsService } from '../computers/computer-agents.service.js';
import { TurnProgressService } from '../turns/turn-progress.service.js';
import { type AgentRef, type TurnRef } from '../turns/turn.js';
import { TurnsService } from '../turns/turns.service.js';

/** Answers the hello of an agent, and compares the turns it works on with the queue. */
@Injectable()
export class AgentHandshakeService {
  constructor(
    private readonly agents: ComputerAgentsService,
    private readonly turns: TurnsService,
    private readonly progress: TurnProgressService,
    private readonly clock: Clock,
  ) {}

  async welcome(
    agent: AgentRef,
    caller: Principal,
    { agent: { name: agentName, version }, turns, hostname, problem }: HelloParams,
  ): Promise<{ greeting: HelloResult; kept: TurnRef[] }> {
    const { connectionId, computerId } = agent;
    const { id, name, registeredBy } = await this.agents.connect(caller, computerId, {
      connectionId,
      name: agentName,
      version,
      hostname,
      problem,
    });
    await this.expireUnreported(agent, turns);
    const lostTurns = await this.turns.renew(agent, turns);
    const lost = new Set(lostTurns.map(turnKey));
    const greeting = {
      protocol: RELAY_PROTOCOL,
      computer: { id, name, registeredBy },
      leaseSeconds: this.turns.leaseMs / 1000,
      now: this.clock.now().getTime(),
      lostTurns,
    };
    return { greeting, kept: turns.filter((turn) => !lost.has(turnKey(turn))) };
  }

  /** A previous agent of the computer had these turns and is gone. */
  private async expireUnreported(agent: AgentRef, reported: TurnRef[]): Promise<void> {
    const known = new Set(reported.map(turnKey));
    const unreported = (await this.turns.listRunning(agent)).filter((turn) => !known.has(turnKey(turn)));
    // Checked after the list was read, which may contain turns of a newer connection.
    if (unreported.length === 0 || !(await this.agents.isCurrent(agent))) return;
    for (const turn of unreported) await this.progress.expire(agent, turn);
  }
}
