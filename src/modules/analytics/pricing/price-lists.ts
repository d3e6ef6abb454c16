import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../../common/bounded-cache.js';
import { AppConfig } from '../../../config/app-config.js';
import { CoherentCache } from '../../../database/coherent-cache.js';
import { Notifications } from '../../../database/notifications.js';
import type { PriceList } from '../../../prices/price-list.js';
import { readOrganizationPrices } from '../../../prices/price-reader.js';
import { OrganizationPricesRepository } from './organization-prices.repository.js';

const MAX_CACHED = 1_000;

/** The price list of each organization; a change on any replica is seen within one second. */
@Injectable()
export class PriceLists {
  private readonly cache: CoherentCache<{ orgId: string; list: PriceList }, 'prices_changed'>;

  private readonly lists = boundedCache<PriceList>(MAX_CACHED);

  constructor(
    private readonly config: AppConfig,
    private readonly prices: OrganizationPricesRepository,
    notifications: Notifications,
  ) {
    this.cache = new CoherentCache(notifications, {
      maxEntries: MAX_CACHED,
      topic: 'prices_changed',
      concerns: ({ orgId }, change) => orgId === change.orgId,
    });
  }

  async of(orgId: string): Promise<PriceList> {
    const known = await this.cache.get(orgId, async () => {
      const { revision, prices } = await this.prices.find(orgId);
      return { orgId, list: this.listOf(`${orgId} ${revision}`, prices) };
    });
    return known?.list ?? this.base;
  }

  /** The list as it would be with these prices of an organization. */
  listWith(rows: readonly object[]): PriceList {
    // All organizations without prices of their own share one list and what it remembers.
    return rows.length === 0 ? this.base : this.base.with(readOrganizationPrices(rows));
  }

  /** What a list remembers outlives the entries of the cache, which are short-lived. */
  private listOf(key: string, rows: readonly object[]): PriceList {
    const list = this.lists.get(key) ?? this.listWith(rows);
    this.lists.set(key, list);
    return list;
  }

  private get base(): PriceList {
    return this.config.analytics.priceList;
  }
}
