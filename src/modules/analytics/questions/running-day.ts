import { Injectable } from '@nestjs/common';
import type { PersonFacts } from './person-facts.js';

/** Today, which has no facts yet. */
@Injectable()
export class RunningDay {
  /** Null: not counted, so that answers end with the last closed day. */
  readonly ofUser: (orgId: string, userId: string) => Promise<(PersonFacts & { readonly asOf: Date }) | null> = () =>
    Promise.resolve(null);
}
