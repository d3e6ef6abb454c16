import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PriceLists } from '../../src/modules/analytics/pricing/price-lists.js';
import { eventually } from '../support/eventually.js';
import { fileWith, model } from '../support/given-prices.js';
import type { GivenOrganization } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';

const prices = '/api/v0/organization/prices';
const clock = new ManualClock('2026-11-15T08:30:00.000Z');
const NOW = clock.now();

/** Every field there is. */
const EVERYTHING = [
  {
    model: 'claude-sonnet-4-5',
    provider: 'anthropic',
    since: '2026-10-01',
    until: '2026-12-01T12:30:00Z',
    input: '2.5',
    output: '12.5',
    cacheRead: '0.25',
    cacheWrite: '3.125',
    cacheWrite1h: '5',
    tiers: [
      { above: 200_000, input: '5', multipliers: { output: '1.5' } },
      { from: 500_001, input: '6' },
    ],
    windows: [{ days: ['sat', 'sun'], utc: ['00:00-24:00'], factor: '0.5' }],
    promotional: true,
  },
  { provider: 'openai', factor: '0.9', since: '2026-01-01' },
];

let folder: string;
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prices-'));
  const file = join(folder, 'prices.json');
  const operated = model('house-model', { since: '2026-01-01', input: '1', output: '2' }, { provider: 'house' });
  writeFileSync(file, JSON.stringify(fileWith([operated])));
  app = await TestApp.start({ clock, env: { PRICE_LIST: file } });
});
beforeEach(async () => {
  org = await app.given.organization();
});
afterAll(async () => {
  await app.stop();
  await rm(folder, { recursive: true });
});

const put = (rows: unknown) => app.as(org.owner).put(prices, { prices: rows });

async function inEffect(id: string) {
  const { body } = await app.as(org.owner).get(prices);
  return body.inEffect.find((row: { model: string }) => row.model === id);
}

describe('the prices of an organization', () => {
  it('are none at first, and what applies is the list', async () => {
    const { status, body, headers } = await app.as(org.owner).get(prices);
    expect(status).toBe(200);
    expect(body).toMatchObject({ revision: 0, prices: [] });
    expect(headers.etag).toBe('"0"');
    expect(body).not.toHaveProperty('updatedAt');
    expect(body.inEffect).toHaveLength(130);
  });

  it('are replaced as a whole, and returned as they were sent', async () => {
    const { status, body, headers } = await put(EVERYTHING);
    expect(status).toBe(200);
    expect(headers.etag).toBe('"1"');
    expect(body).toMatchObject({ revision: 1, updatedAt: '2026-11-15T08:30:00.000Z', prices: EVERYTHING });
    expect((await app.as(org.owner).get(prices)).body).toEqual(body);
    expect((await put([])).body).toMatchObject({ revision: 2, prices: [] });
  });

  it('count before those of the operator and the product', async () => {
    expect(await inEffect('house-model')).toEqual({
      ...{ model: 'house-model', provider: 'house', layer: 'operator', since: '2026-01-01', input: '1', output: '2' },
    });
    expect(await inEffect('gpt-5')).toMatchObject({ layer: 'built-in', input: '1.25' });
    await put(EVERYTHING);
    expect(await inEffect('gpt-5')).toMatchObject({ layer: 'built-in', input: '1.125' });
    expect(await inEffect('claude-sonnet-4-5')).toEqual({
      ...EVERYTHING[0],
      layer: 'organization',
      tiers: [
        { above: 200_000, input: '5', output: '18.75', cacheRead: '0.25', cacheWrite: '3.125', cacheWrite1h: '5' },
        { above: 500_000, input: '6', output: '12.5', cacheRead: '0.25', cacheWrite: '3.125', cacheWrite1h: '5' },
      ],
    });
  });

  it('do not change when the same ones are sent again', async () => {
    await put(EVERYTHING);
    const { body } = await put(EVERYTHING.map((row) => Object.fromEntries(Object.entries(row).reverse())));
    expect(body.revision).toBe(1);
    const { body: log } = await app.as(org.owner).get('/api/v0/organization/audit-log');
    const actions = log.entries.map((entry: { action: string }) => entry.action);
    expect(actions.filter((action: string) => action === 'organization_prices.changed')).toHaveLength(1);
  });

  it('are in the audit log with what they were before', async () => {
    await put([EVERYTHING[1]]);
    await put([]);
    const { body } = await app.as(org.owner).get('/api/v0/organization/audit-log?limit=1');
    expect(body.entries[0]).toMatchObject({
      action: 'organization_prices.changed',
      target: '2',
      before: { prices: [EVERYTHING[1]] },
      after: { prices: [] },
    });
  });

  it('are refused with 412 when somebody else was quicker', async () => {
    await put([]);
    const send = (revision: string) =>
      app.as(org.owner).send('put', prices, { prices: [EVERYTHING[1]] }, { 'If-Match': revision });
    expect((await send('"0"')).status).toBe(412);
    expect((await send('"1"')).body.revision).toBe(2);
  });

  it('of concurrent changes are one after the other', async () => {
    const factors = ['0.1', '0.2', '0.3', '0.4', '0.5'];
    const answers = await Promise.all(factors.map((factor) => put([{ ...EVERYTHING[1], factor }])));
    expect(answers.map(({ body }) => body.revision).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it('are those of one organization only', async () => {
    const other = await app.given.organization();
    await put(EVERYTHING);
    expect((await app.as(other.owner).get(prices)).body).toMatchObject({ revision: 0, prices: [] });
    const lists = app.nest.get(PriceLists);
    expect((await lists.of(other.id)).appliedAt('claude-sonnet-4-5', NOW)?.layer).toBe('built-in');
    expect((await lists.of(org.id)).appliedAt('claude-sonnet-4-5', NOW)?.layer).toBe('organization');
  });

  it('reach every replica within a second', async () => {
    const replica = await TestApp.start({ clock, database: app.database });
    try {
      const layer = async () =>
        (await replica.nest.get(PriceLists).of(org.id)).appliedAt('claude-sonnet-4-5', NOW)?.layer;
      expect(await layer()).toBe('built-in');
      await put(EVERYTHING);
      await eventually('the new price', async () => (await layer()) === 'organization', 1_000);
    } finally {
      await replica.stop();
    }
  });
});

describe('prices are refused with 400, naming the field,', () => {
  const price = { model: 'm', since: '2026-01-01', input: '1' };

  it.each<[string, unknown, string]>([
    ['that are no list', {}, 'prices'],
    ['of which one is no object', [1], 'prices'],
    ['of which there are 1,001', Array(1001).fill(price), 'prices'],
    ['with an unknown field', [{ ...price, price: '1' }], 'prices.0.price'],
    ['with a number', [{ ...price, input: 1 }], 'prices.0.input'],
    ['with a negative price', [price, { ...price, model: 'n', output: '-1' }], 'prices.1.output'],
    ['with seven decimals', [{ ...price, cacheRead: '0.0000001' }], 'prices.0.cacheRead'],
    ['with no day', [{ ...price, since: 'yesterday' }], 'prices.0.since'],
    ['without since', [{ model: 'm', input: '1' }], 'prices.0.since'],
    ['that end before they begin', [{ ...price, until: '2025-01-01' }], 'prices.0.until'],
    ['without a model', [{ since: '2026-01-01', input: '1' }], 'prices.0.model'],
    ['with an empty model', [{ ...price, model: '' }], 'prices.0.model'],
    ['without a price', [{ model: 'm', since: '2026-01-01' }], 'prices.0'],
    ['with a factor and a price', [{ ...price, factor: '1' }], 'prices.0.model'],
    ['that overlap', [price, { ...price, since: '2026-02-01' }], 'prices.1'],
    ['with a tier without a limit', [{ ...price, tiers: [{ input: '1' }] }], 'prices.0.tiers.0.above'],
    ['with a limit of zero', [{ ...price, tiers: [{ above: 0 }] }], 'prices.0.tiers.0.above'],
    ['with a limit that is text', [{ ...price, tiers: [{ above: '1' }] }], 'prices.0.tiers.0.above'],
    [
      'with an unknown weekday',
      [{ ...price, windows: [{ days: ['Monday'], utc: ['01:00-02:00'], factor: '1' }] }],
      'prices.0.windows.0.days',
    ],
    [
      'with a window past midnight',
      [{ ...price, windows: [{ utc: ['22:00-02:00'], factor: '1' }] }],
      'prices.0.windows.0.utc.0',
    ],
    [
      'with a window without a factor',
      [{ ...price, windows: [{ utc: ['01:00-02:00'] }] }],
      'prices.0.windows.0.factor',
    ],
  ])('%s', async (_, rows, field) => {
    for (const client of [() => put(rows), () => app.as(org.owner).post(`${prices}/preview`, { prices: rows })]) {
      const { status, body } = await client();
      expect(status).toBe(400);
      expect(body.errors.map((error: { field: string }) => error.field)).toContain(field);
    }
    expect((await app.as(org.owner).get(prices)).body.revision).toBe(0);
  });
});
