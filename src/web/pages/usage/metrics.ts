import type { Dimension, Metric } from '../../api/analytics.js';
import { compact, dollars } from '../../format.js';

/** What the page offers, with the names and definitions that it shows. */
export const METRICS: Partial<Record<Metric, { readonly name: string; readonly definition: string }>> = {
  billable_tokens: { name: 'Billable tokens', definition: 'Input, output and cached tokens, weighted as credits are.' },
  cost: { name: 'Cost (estimate)', definition: 'Tokens at dated list prices. An estimate, no invoice.' },
  input_tokens: { name: 'Input tokens', definition: 'All input, cached input included.' },
  output_tokens: { name: 'Output tokens', definition: 'What models wrote.' },
  cache_read_tokens: { name: 'Cache reads', definition: 'Input that was read from the prompt cache.' },
  model_calls: { name: 'Model calls', definition: 'Requests to models.' },
};

export const DIMENSIONS: Partial<Record<Dimension, string>> = {
  model: 'Model',
  user: 'Person',
  team: 'Team',
  client: 'Client',
};

/** Cost is decimal text, everything else a number. */
export function shownValue(value: number | string | null): string {
  if (value === null) return '–';
  return typeof value === 'string' ? dollars(value) : compact(value);
}
