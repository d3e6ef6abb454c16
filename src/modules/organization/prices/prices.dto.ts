import { OrganizationPrice, PriceTier, PriceWindow, TokenPrices } from '../../../prices/organization-prices.dto.js';
import type { OrganizationPrices } from './prices.service.js';

/** What calls of a model cost now. */
export class PriceInEffect extends TokenPrices {
  /**
   * Id of the model.
   * @example "claude-sonnet-4-5"
   */
  model: string;

  /**
   * Its provider; absent when that is not known.
   * @example "anthropic"
   */
  provider?: string;

  /**
   * Where the price comes from: `built-in`, `operator` or `organization`. A factor of the organization is in the price.
   * @example "built-in"
   */
  layer: string;

  /**
   * From when; absent when that is not known.
   * @example "2025-09-29"
   */
  since?: string;

  /**
   * Until when, this day or minute excluded; absent when it is open.
   * @example "2027-01-01"
   */
  until?: string;

  /** Prices by size of the request. */
  tiers?: PriceTier[];

  /** Times with other prices. */
  windows?: PriceWindow[];

  /**
   * Whether it is temporary.
   * @example true
   */
  promotional?: boolean;
}

/** The prices of the organization, and what applies. */
export class OrganizationPricesResponse {
  /**
   * Revision number; 0 while nothing was ever set. Also the `ETag`.
   * @example 3
   */
  revision: number;

  /**
   * When they were set, ISO 8601; absent while nothing was ever set.
   * @example "2026-11-15T08:30:00.000Z"
   */
  updatedAt?: string;

  /** The prices of the organization, as they were set. */
  prices: OrganizationPrice[];

  /** The price of every known model at this moment, by whoever set it. */
  inEffect: PriceInEffect[];
}

export function toOrganizationPricesResponse({ own, inEffect }: OrganizationPrices): OrganizationPricesResponse {
  return {
    revision: own?.revision ?? 0,
    ...(own ? { updatedAt: own.updatedAt.toISOString() } : {}),
    prices: (own?.prices ?? []) as OrganizationPrice[],
    inEffect,
  };
}
