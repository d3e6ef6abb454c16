import { Injectable } from '@nestjs/common';
import { AggregationService } from '../aggregation/aggregation.service.js';
import { StoredAddressesRepository } from './stored-addresses.repository.js';

/** Takes the address of a user out of the stored figures. */
@Injectable()
export class StoredAddressesService {
  constructor(
    private readonly aggregation: AggregationService,
    private readonly addresses: StoredAddressesRepository,
  ) {}

  /**
   * Runs `forget`, after which the address is nowhere else, and then takes it out of all days. Nobody computes days of the
   * organization meanwhile: who began before would write the address once more.
   */
  async erase(orgId: string, userId: string, forget: () => Promise<void>): Promise<void> {
    await this.aggregation.whileNothingIsComputed(orgId, async () => {
      await forget();
      if (await this.addresses.erase(orgId, userId)) await this.addresses.noteErasure(orgId);
    });
  }
}
