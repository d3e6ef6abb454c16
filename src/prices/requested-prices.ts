import { InvalidRequestError } from '../common/errors/domain-error.js';
import type { PriceLayer } from './price-layer.js';
import { InvalidPricesError } from './price-problems.js';
import { readOrganizationPrices } from './price-reader.js';

/** Of a request: a 400 that names the fields when they are invalid. */
export function readRequestedPrices(rows: readonly object[]): PriceLayer {
  try {
    return readOrganizationPrices(rows);
  } catch (error) {
    if (!(error instanceof InvalidPricesError)) throw error;
    const errors = error.problems.map(({ place, message }) => ({ field: place, message }));
    throw new InvalidRequestError(error.message, errors);
  }
}
