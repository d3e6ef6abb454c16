import { Injectable, Logger } from '@nestjs/common';
import { NIL as NIL_UUID } from 'uuid';
import { SystemDatabase } from '../../../database/system-database.js';
import { ControlSecrets } from './control-secrets.js';
import { type StoredControls, ControlsRepository } from './controls.repository.js';

const PAGE = 20;

export interface ResealResult {
  secrets: number;
  revisions: number;
  /** No key opens them; they stay as they are. */
  unreadable: number;
}

/** Changes the sealing key of all stored secrets, for an operator. */
@Injectable()
export class StoredSecretsService {
  private readonly logger = new Logger('Secrets');

  constructor(
    private readonly system: SystemDatabase,
    private readonly controls: ControlsRepository,
    private readonly secrets: ControlSecrets,
  ) {}

  /** Seals every stored secret, also in old revisions, with the current key. Repeatable. */
  async reseal(): Promise<ResealResult> {
    const result: ResealResult = { secrets: 0, revisions: 0, unreadable: 0 };
    for await (const stored of this.stored({ isCurrent: false })) {
      const { settings, changed, unreadable } = await this.secrets.reseal(stored.settings);
      result.unreadable += unreadable;
      if (changed === 0) continue;
      // Nothing else changes the settings of a stored revision: no lock is needed.
      await this.system.transaction(async (tx) => {
        await this.controls.updateSealing(tx, { ...stored, settings });
        tx.notify('controls_changed', { orgId: stored.orgId });
      });
      result.secrets += changed;
      result.revisions++;
    }
    return result;
  }

  async warnOfUnreadable(): Promise<void> {
    let [secrets, organizations] = [0, 0];
    for await (const { settings } of this.stored({ isCurrent: true })) {
      let unreadable = 0;
      await this.secrets.open(settings, () => unreadable++);
      secrets += unreadable;
      if (unreadable > 0) organizations++;
    }
    if (secrets === 0) return;
    this.logger.warn(
      `${secrets} stored secrets of ${organizations} organizations cannot be opened with SECRETS_KEY or SECRETS_KEY_PREVIOUS. ` +
        'Everything else works; they are shown as unreadable and left out for agents. Put the key that sealed them into ' +
        'SECRETS_KEY_PREVIOUS and run `cli secrets reseal`, or enter them anew.',
    );
  }

  private async *stored(which: { isCurrent: boolean }): AsyncGenerator<StoredControls> {
    for (let after: Pick<StoredControls, 'orgId' | 'revision'> = { orgId: NIL_UUID, revision: 0 }; ;) {
      const page = await this.controls.listStored(which, after, PAGE);
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      after = last;
    }
  }
}
