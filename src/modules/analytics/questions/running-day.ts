import { Injectable } from '@nestjs/common';
import type { PersonFacts } from './person-facts.js';

/** Today, which has no facts yet. */
@Injectable()
export class RunningDay {
  /** Null: not counted, so that answers end with the last closed day. */
  ofUser(_orgId: string, _userId: string): Promise<(PersonFacts & { readonly asOf: Date }) | null> {
    return Promise.resolve(null);
  }
}
