import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { ComputersRepository } from './computers.repository.js';

/** Takes a person out of the names of their computers. */
@Injectable()
export class ErasedComputersService {
  constructor(private readonly computers: ComputersRepository) {}

  /** Names that mention the person become neutral. */
  async erase(
    tx: SqlTransaction,
    orgId: string,
    userId: string,
    mentions: (text: string | null) => boolean,
  ): Promise<void> {
    for (const { id, name, hostname, remoteUser } of await this.computers.listNamesOfUser(tx, orgId, userId)) {
      if (![name, hostname, remoteUser].some(mentions)) continue;
      this.computers.updateNames(tx, orgId, {
        id,
        name: mentions(name) ? `computer-${id}` : name,
        hostname: mentions(hostname) ? null : hostname,
        remoteUser: mentions(remoteUser) ? null : remoteUser,
      });
    }
  }
}
