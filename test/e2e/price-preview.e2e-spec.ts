import { givenModelFacts, type ModelFacts } from '../support/given-model-facts.js';
import type { GivenOrganization } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { startUsageApp } from '../support/given-usage.js';

const prices = '/api/v0/organization/prices';
const clock = new ManualClock('2026-11-15T08:30:00.000Z');

let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await startUsageApp({ clock });
});
beforeEach(async () => {
  org = await app.given.organization();
});
afterAll(() => app.stop());

const givenFacts = (facts: ModelFacts[], orgId = org.id) => givenModelFacts(app, orgId, facts, clock.now());

const preview = async (rows: object[]) => {
  const { status, body } = await app.as(org.owner).post(`${prices}/preview`, { prices: rows });
  expect(status).toBe(200);
  return body;
};

const NOTHING = { newlyPricedTokens: 0, unpricedTokens: 0 };

describe('a preview', () => {
  it('is empty when nothing was used', async () => {
    expect(await preview([{ provider: 'openai', factor: '0.5', since: '2026-01-01' }])).toEqual({
      currency: 'USD',
      estimated: true,
      changes: [],
      total: { oldCost: '0.000000', newCost: '0.000000', difference: '0.000000', ...NOTHING },
    });
  });

  it('shows per month and model what changes, from the day on which it does', async () => {
    await givenFacts([
      { model: 'claude-opus-5', day: '2026-09-30', input: 1_000_000, output: 0 },
      { model: 'claude-opus-5', day: '2026-10-01', input: 1_000_000, output: 100_000, cacheRead: 500_000 },
      { model: 'claude-opus-5', day: '2026-11-01', calls: 3, input: 2_000_000, output: 0 },
      { model: 'gpt-5', day: '2026-10-01', input: 1_000_000, output: 0 },
    ]);
    const { changes, total } = await preview([{ provider: 'anthropic', factor: '0.9', since: '2026-10-01' }]);
    const row = { model: 'claude-opus-5', approximate: false, ...NOTHING };
    expect(changes).toEqual([
      // 0.5 x 5 + 0.5 x 0.5 + 0.1 x 25
      {
        ...row,
        month: '2026-10',
        calls: 1,
        tokens: 1_100_000,
        oldCost: '5.250000',
        newCost: '4.725000',
        difference: '-0.525000',
      },
      {
        ...row,
        month: '2026-11',
        calls: 3,
        tokens: 2_000_000,
        oldCost: '10.000000',
        newCost: '9.000000',
        difference: '-1.000000',
      },
    ]);
    expect(total).toEqual({ oldCost: '15.250000', newCost: '13.725000', difference: '-1.525000', ...NOTHING });
  });

  it('shows what gets a price, and what still has none', async () => {
    await givenFacts([
      { model: 'house-model', day: '2026-10-01', input: 1_000_000, output: 10 },
      { model: 'stranger', day: '2026-10-02', input: 7, output: 3 },
    ]);
    const { changes, total } = await preview([{ model: 'house-model', since: '2026-01-01', input: '2' }]);
    expect(changes).toMatchObject([
      { model: 'house-model', oldCost: null, newCost: '2.000000', newlyPricedTokens: 1_000_000, unpricedTokens: 10 },
      {
        model: 'stranger',
        oldCost: null,
        newCost: null,
        difference: '0.000000',
        newlyPricedTokens: 0,
        unpricedTokens: 10,
      },
    ]);
    expect(total).toEqual({
      ...{
        oldCost: null,
        newCost: '2.000000',
        difference: '2.000000',
        newlyPricedTokens: 1_000_000,
        unpricedTokens: 20,
      },
    });
  });

  it('compares with the prices of the organization that are in force', async () => {
    await givenFacts([{ model: 'gpt-5', day: '2026-10-01', input: 1_000_000, output: 0 }]);
    await app.as(org.owner).put(prices, { prices: [{ model: 'gpt-5', since: '2026-01-01', input: '1' }] });
    const { changes } = await preview([]);
    expect(changes).toMatchObject([{ oldCost: '1.000000', newCost: '1.250000', difference: '0.250000' }]);
  });

  it('says when tiers change, and counts the classes that are stored with the nearest price', async () => {
    await givenFacts([
      { model: 'm', day: '2026-10-01', input: 1_000_000, output: 0 },
      { model: 'm', day: '2026-10-01', above: 200_000, input: 1_000_000, output: 0 },
      { model: 'm', day: '2026-10-02', above: -1, input: 1_000_000, output: 0 },
    ]);
    const tiers = [{ above: 100_000, input: '2' }];
    const { changes } = await preview([{ model: 'm', since: '2026-01-01', input: '1', tiers }]);
    expect(changes).toMatchObject([{ newCost: '4.000000', approximate: true }]);
  });

  it('has no price for days of which it is not known what was cached', async () => {
    await givenFacts([{ model: 'gpt-5', day: '2026-10-01', calls: null, input: 10, output: 5, cacheRead: null }]);
    const { changes } = await preview([]);
    expect(changes).toMatchObject([{ calls: null, tokens: 15, oldCost: null, newCost: null, unpricedTokens: 15 }]);
  });

  it('counts only the current version of a day, and only the own organization', async () => {
    const other = await app.given.organization();
    await givenFacts([
      { model: 'gpt-5', day: '2026-10-01', input: 1_000_000, output: 0 },
      { model: 'gpt-5', day: '2026-10-01', input: 5_000_000, output: 0, version: 2 },
    ]);
    await givenFacts([{ model: 'gpt-5', day: '2026-10-01', input: 7_000_000, output: 0 }], other.id);
    const { total } = await preview([{ provider: 'openai', factor: '2', since: '2026-01-01' }]);
    expect(total).toMatchObject({ oldCost: '1.250000', newCost: '2.500000' });
  });

  it('stores nothing', async () => {
    await preview([{ provider: 'openai', factor: '2', since: '2026-01-01' }]);
    expect((await app.as(org.owner).get(prices)).body).toMatchObject({ revision: 0, prices: [] });
  });
});
