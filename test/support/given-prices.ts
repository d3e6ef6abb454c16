import type { PriceLayer } from '../../src/prices/price-layer.js';
import { PriceList } from '../../src/prices/price-list.js';
import { readOrganizationPrices, readPriceFile } from '../../src/prices/price-reader.js';

/** A price file with these models. */
export const fileWith = (models: object[], more: object = {}): object => ({
  format: 1,
  currency: 'USD',
  ...more,
  models,
});

export const model = (id: string, prices: object | object[], more: object = {}): object => ({
  id,
  provider: 'anthropic',
  prices: Array.isArray(prices) ? prices : [prices],
  ...more,
});

export const layerWith = (models: object[], more?: object, name: PriceLayer['name'] = 'built-in'): PriceLayer =>
  readPriceFile(fileWith(models, more), name);

export const listOf = (models: object[], own: object[] = []): PriceList =>
  new PriceList([layerWith(models), ...(own.length > 0 ? [readOrganizationPrices(own)] : [])]);
