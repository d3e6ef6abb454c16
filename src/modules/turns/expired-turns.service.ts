import { Injectable, Logger } from '@nestjs/common';
import { isConnectionLoss } from '../../common/errors/database-errors.js';
import { UnavailableError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { turnKey } from '../../protocol/relay-protocol.js';
import { TurnProgressService } from './turn-progress.service.js';
import { type OverdueTurn, TurnsRepository } from './turns.repository.js';

const MAX_STUCK = 1_000;

@Injectable()
export class ExpiredTurnsService {
  private readonly logger = new Logger('Turns');
  /** Turns that could not be expired so far; tried last, so that they do not hold up the others. */
  private readonly stuck = new Set<string>();

  constructor(
    private readonly turns: TurnsRepository,
    private readonly progress: TurnProgressService,
    private readonly clock: Clock,
  ) {}

  /** Of all organizations; returns how many. A limit of 0 only tests whether the database answers. */
  async expireOverdue(limit: number): Promise<number> {
    const now = this.clock.now();
    const overdue = await this.turns.listOverdue(now, limit === 0 ? 0 : limit + this.stuck.size);
    const isStuck = (turn: OverdueTurn) => this.stuck.has(turnKey(turn));
    let count = 0;
    for (const turn of [...overdue.filter((turn) => !isStuck(turn)), ...overdue.filter(isStuck)]) {
      if (await this.expire(turn, now)) count++;
    }
    return count;
  }

  private async expire(turn: OverdueTurn, now: Date): Promise<boolean> {
    try {
      const isExpired = await this.progress.expireIfOverdue(turn.orgId, turn, now);
      this.stuck.delete(turnKey(turn));
      return isExpired;
    } catch (error) {
      if (isConnectionLoss(error) || error instanceof UnavailableError) throw error; // concerns all turns
      if (this.stuck.size < MAX_STUCK) this.stuck.add(turnKey(turn));
      this.logger.error(`The lost turn ${turn.messageId} of session ${turn.sessionId} stays: ${String(error)}`);
      return false;
    }
  }
}
