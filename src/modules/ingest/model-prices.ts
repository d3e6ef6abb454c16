import type { ModelTier } from './event-codes.js';
import type { ModelPrice, PriceBookConfig } from '../../config/price-book.js';

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Prices of model calls, in billable tokens. */
export class ModelPrices {
  constructor(private readonly book: PriceBookConfig) {}

  get version(): string {
    return this.book.version;
  }

  tierOf(modelId: string): ModelTier {
    return this.priceOf(modelId).tier ?? (modelId.endsWith('-thinking') ? 'thinking' : 'standard');
  }

  /** Rounded once per call, so that every sum of calls is exact. */
  billable(modelId: string, { input, output, cacheRead, cacheWrite }: TokenCounts): number {
    const { multiplier = 1, cacheReadWeight = 0.1, cacheWriteWeight = 1.25 } = this.priceOf(modelId);
    const fresh = input - cacheRead - cacheWrite;
    return Math.round(multiplier * (fresh + cacheReadWeight * cacheRead + cacheWriteWeight * cacheWrite + output));
  }

  private priceOf(modelId: string): ModelPrice {
    return this.book.models.get(modelId) ?? {};
  }
}
