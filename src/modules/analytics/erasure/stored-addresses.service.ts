import { Injectable } from '@nestjs/common';
import { AggregationService } from '../aggregation/aggregation.service.js';
import { StoredAddressesRepository } from './stored-addresses.repository.js';

@Injectable()
export class StoredAddressesService {
  constructor(
    private readonly aggregation: AggregationService,
    private readonly addresses: StoredAddressesRepository,
  ) {}

  /** `forget` deletes the address elsewhere. No day is computed meanwhile, as that could store the address again. */
  async erase(orgId: string, userId: string, forget: () => Promise<void>): Promise<void> {
    await this.aggregation.whileNothingIsComputed(orgId, async () => {
      await forget();
      if (await this.addresses.erase(orgId, userId)) await this.addresses.recordErasure(orgId);
    });
  }
}
