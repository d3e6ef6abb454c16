import { readFileSync } from 'node:fs';

export interface ModelPrice {
  readonly tier?: 'standard' | 'thinking';
  /** Billable tokens per token; default 1. */
  readonly multiplier?: number;
  /** Per token read from the cache; default 0.1. */
  readonly cacheReadWeight?: number;
  /** Per token written to the cache; default 1.25. */
  readonly cacheWriteWeight?: number;
}

export interface PriceBookConfig {
  /** Stored with every model call that is priced with this book. */
  readonly version: string;
  readonly models: ReadonlyMap<string, ModelPrice>;
}

export const BUILT_IN_PRICE_BOOK: PriceBookConfig = { version: 'built-in', models: new Map() };

const MAX_FACTOR = 1000;

/**
 * Reads `{"version": "2026-11", "models": {"model-id": {"tier": ..., "multiplier": ...}}}`; throws if it is invalid.
 */
export function readPriceBook(file: string): PriceBookConfig {
  const book = asObject(JSON.parse(readFileSync(file, 'utf8')), 'the book', ['version', 'models']);
  const { version } = book;
  if (typeof version !== 'string' || version.length < 1 || version.length > 100) {
    throw new Error('"version" must be a string of 1 to 100 characters');
  }
  const models = asObject(book.models, '"models"');
  return { version, models: new Map(Object.entries(models).map(([id, price]) => [id, readPrice(id, price)])) };
}

function readPrice(id: string, value: unknown): ModelPrice {
  const price = asObject(value, `model "${id}"`, ['tier', 'multiplier', 'cacheReadWeight', 'cacheWriteWeight']);
  if (price.tier !== undefined && price.tier !== 'standard' && price.tier !== 'thinking') {
    throw new Error(`"tier" of model "${id}" must be standard or thinking`);
  }
  for (const field of ['multiplier', 'cacheReadWeight', 'cacheWriteWeight']) {
    const factor = price[field];
    if (factor !== undefined && (typeof factor !== 'number' || !(factor >= 0 && factor <= MAX_FACTOR))) {
      throw new Error(`"${field}" of model "${id}" must be a number from 0 to ${MAX_FACTOR}`);
    }
  }
  return price;
}

function asObject(value: unknown, what: string, fields?: string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} must be an object`);
  const unknown = fields && Object.keys(value).find((field) => !fields.includes(field));
  if (unknown !== undefined) throw new Error(`${what} has an unknown field "${unknown}"`);
  return value as Record<string, unknown>;
}
