import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppConfig } from '../../src/config/app-config.js';
import { fileWith, model } from '../support/given-prices.js';

describe('PRICE_LIST', () => {
  const folder = mkdtempSync(join(tmpdir(), 'price-list-'));
  const file = join(folder, 'prices.json');
  afterAll(() => rmSync(folder, { recursive: true }));

  const listOf = (content: unknown) => {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return AppConfig.fromEnv({ PRICE_LIST: file }).analytics.priceList;
  };
  const at = new Date('2026-11-15');

  it('overrides built-in prices and leaves the others', () => {
    const list = listOf(fileWith([model('gpt-5', { since: '2026-01-01', input: '9' }, { provider: 'openai' })]));
    expect(list.appliedAt('gpt-5', at)).toMatchObject({ layer: 'operator', price: { rates: { input: 9_000_000n } } });
    expect(list.appliedAt('gpt-5', new Date('2025-12-31'))?.layer).toBe('built-in');
    expect(list.appliedAt('o3', at)?.layer).toBe('built-in');
  });

  it.each<[string, unknown, string]>([
    ['that is no JSON', '{', 'PRICE_LIST cannot be used'],
    ['with a wrong price', fileWith([model('m', { input: 1 })]), 'models.0 (m).prices.0.input'],
  ])('stops the start with a file %s', (_, content, message) => {
    expect(() => listOf(content)).toThrow(message);
  });

  it('stops the start with a file that is not there', () => {
    expect(() => AppConfig.fromEnv({ PRICE_LIST: join(folder, 'none.json') })).toThrow(/PRICE_LIST.*ENOENT/s);
  });
});
