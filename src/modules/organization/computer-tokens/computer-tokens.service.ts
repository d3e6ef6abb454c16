import { Injectable } from '@nestjs/common';
import { credentialName } from '../../../common/access/principal.js';
import { newId } from '../../../common/new-id.js';
import { Clock } from '../../../common/time/clock.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { apiKeyPrefix, newComputerToken } from '../../../common/access/api-key-format.js';
import { type ComputerToken, ComputerTokensRepository, hashToken } from './computer-tokens.repository.js';

export interface IssuedComputerToken {
  id: string;
  prefix: string;
  token: string;
}

/** Computer tokens: a computer has at most one, which acts for the user who registered it. */
@Injectable()
export class ComputerTokensService {
  constructor(
    private readonly tokens: ComputerTokensRepository,
    private readonly clock: Clock,
  ) {}

  async issue(
    tx: SqlTransaction,
    owner: Pick<ComputerToken, 'orgId' | 'computerId' | 'userId'>,
  ): Promise<IssuedComputerToken> {
    await this.end(tx, owner.orgId, owner.computerId);
    const token = newComputerToken();
    const id = newId();
    this.tokens.insert(tx, { ...owner, id, tokenHash: hashToken(token), createdAt: this.clock.now() });
    return { id, prefix: apiKeyPrefix(token), token };
  }

  /** Ends the token of a computer, and with it every socket that was opened with it. */
  async end(tx: SqlTransaction, orgId: string, computerId: string): Promise<void> {
    const ended = await this.tokens.deleteOfComputer(tx, orgId, computerId);
    if (!ended) return;
    const credentialId = credentialName({ kind: 'token', id: ended.id });
    tx.notify('credentials_changed', { orgId, userId: ended.userId, credentialId });
  }
}
