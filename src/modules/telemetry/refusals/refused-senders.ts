import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { DomainError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';

export const KEPT_MINUTES = 10;
const MAX_ADDRESSES = 10_000;
const CODES: readonly DomainError['code'][] = ['unauthenticated', 'forbidden'];

export interface RefusedSender {
  readonly count: number;
  readonly lastAt: Date;
  readonly reason: string;
}

/**
 * Telemetry that was refused because of its key, by the address it came from: whose it is cannot be known. In memory and
 * of this replica only, as it is a hint for whoever sets an agent up at the moment.
 */
@Injectable()
export class RefusedSenders {
  private readonly byAddress: LRUCache<string, RefusedSender>;

  constructor(private readonly clock: Clock) {
    this.byAddress = new LRUCache({ max: MAX_ADDRESSES });
  }

  note(address: string, { code, detail }: Pick<DomainError, 'code' | 'detail'>): void {
    if (!CODES.includes(code)) return;
    const count = (this.find(address)?.count ?? 0) + 1;
    this.byAddress.set(address, { count, lastAt: this.clock.now(), reason: detail });
  }

  find(address: string): RefusedSender | null {
    const found = this.byAddress.get(address);
    const sinceMs = this.clock.now().getTime() - KEPT_MINUTES * 60_000;
    return found && found.lastAt.getTime() >= sinceMs ? found : null;
  }
}
