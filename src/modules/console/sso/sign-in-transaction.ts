import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/time/clock.js';
import { SecretBox } from '../../organization/controls/secret-box.js';
import type { PendingSignIn } from './oidc-client.js';

export const TRANSACTION_SECONDS = 600;

export interface SignInTransaction extends PendingSignIn {
  /** Where the browser goes after it has signed in. */
  readonly to: string;
  /** The cookie it had before: it does not come along when the provider sends the browser back. */
  readonly previousCookie: string | null;
}

/** What a browser carries through a sign-in at the identity provider; encrypted, so that nothing is stored for strangers. */
@Injectable()
export class SignInTransactions {
  constructor(
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  seal(transaction: SignInTransaction): Promise<string> {
    return this.box.seal(JSON.stringify({ ...transaction, atMs: this.clock.now().getTime() }));
  }

  /** null when it was not made here or is too old. */
  async open(sealed: string): Promise<SignInTransaction | null> {
    const text = await this.box.open(sealed);
    if (text === null) return null;
    const { atMs, ...transaction } = JSON.parse(text) as SignInTransaction & { atMs: number };
    const ageMs = this.clock.now().getTime() - atMs;
    return ageMs >= 0 && ageMs < TRANSACTION_SECONDS * 1000 ? transaction : null;
  }
}
