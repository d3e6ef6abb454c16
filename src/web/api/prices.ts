import { useQuery } from '@tanstack/react-query';
import type { components } from 'openapi-types';
import { api, bodyOf } from './client.js';

export type Prices = components['schemas']['OrganizationPricesResponse'];
export type Price = components['schemas']['OrganizationPrice'];
export type PriceInEffect = components['schemas']['PriceInEffect'];
export type PricePreview = components['schemas']['PricePreviewResponse'];

export function usePrices() {
  return useQuery({
    queryKey: ['prices', 'now'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v0/organization/prices', { signal })),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** What these prices would change, by month and model; tokens without a price are in it in any case. */
export function usePreview(prices: readonly Price[], revision: number, isAsked: boolean) {
  return useQuery({
    queryKey: ['prices', 'preview', revision, prices],
    queryFn: ({ signal }) =>
      bodyOf(api.POST('/api/v0/organization/prices/preview', { body: { prices: [...prices] }, signal })),
    enabled: isAsked,
  });
}

/** A 412 when there is another revision than this one by now. */
export function savePrices(prices: readonly Price[], revision: number): Promise<Prices> {
  return bodyOf(
    api.PUT('/api/v0/organization/prices', {
      params: { header: { 'If-Match': `"${revision}"` } },
      body: { prices: [...prices] },
    }),
  );
}
