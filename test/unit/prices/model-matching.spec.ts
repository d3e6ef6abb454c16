import { UtcDay } from '../../../src/common/time/utc-day.js';
import { readPriceList } from '../../../src/prices/price-files.js';
import { PriceList } from '../../../src/prices/price-list.js';
import { readOrganizationPrices } from '../../../src/prices/price-reader.js';
import { layerWith, listOf, model } from '../../support/given-prices.js';

const NOW = new Date('2026-11-15T12:00:00Z');
const builtIn = readPriceList(null);
const matchOf = (list: PriceList, name: string, at = NOW) => list.appliedAt(name, at)?.modelId ?? null;

describe('a name has the price of a model', () => {
  it.each([
    ['claude-sonnet-4-5', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['claude-sonnet-5-5', 'claude-sonnet-5-5'],
    ['Claude-Sonnet-5', 'claude-sonnet-5'],
    ['claude-sonnet-5[1m]', 'claude-sonnet-5'],
    ['claude-opus-4.6', 'claude-opus-4-6'],
    ['anthropic/claude-opus-4.6', 'claude-opus-4-6'],
    ['claude-opus-5-20260724', 'claude-opus-5'],
    ['claude-opus-4', 'claude-opus-4-0'],
    ['openai/gpt-5.5', 'gpt-5.5'],
    ['gpt-5.5-2026-04-23', 'gpt-5.5'],
    ['gpt-6-sol-2026-09-22', 'gpt-6-sol'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['google/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['deepseek/deepseek-v4-pro', 'deepseek-v4-pro'],
    ['minimax-m3', 'MiniMax-M3'],
    ['GLM-5.3', 'glm-5.3'],
    ['gpt-4o-2024-08-06', 'gpt-4o'],
  ])('%s is %s', (name, id) => {
    expect(matchOf(builtIn, name)).toBe(id);
  });
});

describe('a name has no price', () => {
  it.each([
    ['that begins like a model', 'claude-sonnet-5-6'],
    ['that begins like a model and goes on', 'claude-sonnet-5x'],
    ['that a model begins with', 'claude-sonnet'],
    ['of a family', 'gpt-5.9'],
    ['of a variant', 'claude-sonnet-4-5-thinking'],
    ['with more before it', 'my-claude-sonnet-5'],
    ['with the prefix of another provider', 'openai/claude-sonnet-5'],
    ['with an unknown prefix', 'acme/claude-sonnet-5'],
    ['of Bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['of Bedrock without a region', 'anthropic.claude-opus-4-6-v1'],
    ['of Bedrock with a prefix', 'bedrock/claude-sonnet-5'],
    ['of Vertex', 'claude-sonnet-4-5@20250929'],
    ['of Vertex with a prefix', 'vertex_ai/gemini-2.5-pro'],
    ['of OpenRouter', 'openrouter/anthropic/claude-sonnet-4.5'],
    ['of opencode Zen', 'opencode/claude-sonnet-5'],
    ['of Azure', 'azure/gpt-5'],
    ['of Copilot', 'github_copilot/gpt-5'],
    ['that is listed as unpriced', 'deepseek-chat'],
    ['of a snapshot that is listed as unpriced', 'gpt-4o-2024-05-13'],
    ['of such a snapshot with a prefix', 'openai/gpt-4o-2024-05-13'],
    ['that is empty', ''],
    ['that is a word of the language', '__proto__'],
    ['with such a prefix', 'constructor/gpt-5'],
    ['of only a slash', '/'],
  ])('%s: %s', (_, name) => {
    expect(matchOf(builtIn, name)).toBeNull();
  });
});

describe('an alias', () => {
  const list = listOf([
    model('first', { input: '1' }, { aliases: [{ id: 'latest', until: '2026-08-06' }] }),
    model('second', { input: '2' }, { aliases: [{ id: 'latest', since: '2026-08-06' }] }),
  ]);

  it('is another model from the day on which it was repointed', () => {
    expect(matchOf(list, 'latest', new Date('2026-08-05T23:59:00Z'))).toBe('first');
    expect(matchOf(list, 'latest', new Date('2026-08-06T00:00:00Z'))).toBe('second');
  });

  it('has the price that the organization gives to the model', () => {
    const own = listOf(
      [model('m', { input: '1' }, { aliases: ['m-latest'] })],
      [{ model: 'm', since: '2026-01-01', input: '7' }],
    );
    expect(own.appliedAt('m-latest', NOW)?.price.rates.input).toBe(7_000_000n);
  });
});

describe('a channel', () => {
  const prices = [model('claude-x', { input: '4' })];

  it('is priced by the factor that the organization gives to it', () => {
    const list = listOf(prices, [{ provider: 'bedrock', factor: '1.1', since: '2026-01-01' }]);
    const [span] = list.spansOf('eu.anthropic.claude-x-20260101-v1:0', UtcDay.of(NOW), UtcDay.of(NOW)).slice(-1);
    expect(span?.rates.input).toBe(4_400_000n);
    expect(matchOf(list, 'openrouter/anthropic/claude-x')).toBeNull();
  });

  it('has neither the prices nor the factors that were agreed with the provider', () => {
    const list = listOf(prices, [
      { model: 'claude-x', since: '2026-01-01', input: '1' },
      { provider: 'anthropic', factor: '0.5', since: '2026-01-01' },
      { provider: 'bedrock', factor: '1', since: '2026-01-01' },
    ]);
    const [span] = list.spansOf('bedrock/claude-x', UtcDay.of(NOW), UtcDay.of(NOW)).slice(-1);
    expect(span?.rates.input).toBe(4_000_000n);
  });

  it('has a price of its own under its whole name', () => {
    const list = listOf(prices, [{ model: 'bedrock/claude-x', since: '2026-01-01', input: '5' }]);
    expect(list.appliedAt('Bedrock/Claude-X', NOW)?.price.rates.input).toBe(5_000_000n);
  });
});

describe('of layers', () => {
  const operator = layerWith([model('m', { since: '2026-06-01', input: '2' })], {}, 'operator');
  const own = readOrganizationPrices([
    { model: 'm', since: '2026-09-01', until: '2026-10-01', input: '3' },
    { provider: 'anthropic', factor: '0.5', since: '2026-08-01' },
  ]);
  const list = new PriceList([layerWith([model('m', { input: '1' })]), operator, own]);

  it.each([
    ['2026-05-31', 'built-in', null],
    ['2026-06-01', 'operator', null],
    ['2026-08-01', 'operator', 500_000n],
    ['2026-09-01', 'organization', null],
    ['2026-10-01', 'operator', 500_000n],
  ])('the highest that has a price counts: %s %s', (day, layer, factor) => {
    expect(list.appliedAt('m', new Date(day))).toMatchObject({ layer, factor });
  });

  it('an exact id of a lower layer counts before a normalised one of a higher', () => {
    const exact = listOf([model('m-20260101', { input: '9' })], [{ model: 'm', since: '2026-01-01', input: '3' }]);
    expect(matchOf(exact, 'm-20260101')).toBe('m-20260101');
  });

  it('the revision follows every price', () => {
    const revisions = [
      [],
      [{ model: 'm', since: '2026-01-01', input: '1' }],
      [{ model: 'm', since: '2026-01-01', input: '2' }],
    ].map((rows) => listOf([model('m', { input: '1' })], rows).revision);
    expect(new Set(revisions).size).toBe(3);
  });
});
