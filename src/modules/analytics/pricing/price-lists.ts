import { Injectable } from '@nestjs/common';
import { PriceList } from '../../../prices/price-list.js';

/** The price list of each organization. */
@Injectable()
export class PriceLists {
  of(_orgId: string): Promise<PriceList> {
    return Promise.resolve(new PriceList());
  }
}
