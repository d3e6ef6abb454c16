import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenPrices } from '../support/given-questions.js';
import { modelCall, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { DAY, NOW, Questions, RANGE } from '../support/questions.js';
import type { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;
let questions: Questions;

beforeAll(async () => {
  app = await startUsageApp({ clock });
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
  owner = org.owner;
  questions = new Questions(app, org.owner);
});
afterAll(() => app.stop());

describe('cost', () => {
  it('is rounded once, at the end, and says what it leaves out', async () => {
    await givenPrices(app.database.url, org.id, '2026-05-20');
    const small = { modelId: 'priced', inputTokens: 1, outputTokens: 0 };
    await questions.givenUsage(
      ...Array.from({ length: 3 }, () => modelCall(owner, DAY, small)),
      modelCall(owner, DAY, { modelId: 'unheard-of', inputTokens: 70, outputTokens: 7 }),
    );
    const { body } = await questions.breakdown('model', 'cost');
    expect(body.data).toMatchObject([
      { key: 'priced', value: '0.000009' },
      { key: 'unheard-of', value: null, share: null },
    ]);
    expect(body.meta).toMatchObject({ reasons: ['list_price'], unpriced_tokens: 77, unpriced_models: ['unheard-of'] });
    const rest = (await questions.breakdown('model', 'cost', { limit: '1' })).body;
    expect(rest).toMatchObject({ other: { value: null }, total: { value: '0.000009' } });
  });

  it('of other rows is null on days, and in comparisons, in which none of their tokens has a price', async () => {
    await givenPrices(app.database.url, org.id, '2026-05-20');
    const [large, small] = [{ inputTokens: 100_000 }, { inputTokens: 1_000, outputTokens: 0 }];
    await questions.givenUsage(
      ...['2026-05-14', DAY, RANGE.endDate].map((day) => modelCall(owner, day, { modelId: 'priced', ...large })),
      ...['2026-05-14', DAY, RANGE.endDate].map((day) => modelCall(owner, day, { modelId: 'unheard-of' })),
      modelCall(owner, DAY, { modelId: 'changing', ...small }),
    );
    const { other, total } = (await questions.breakdown('model', 'cost', { limit: '1', compare: 'previous' })).body;
    const valuesOf = ({ series }: { series: { value: string | null }[] }) => series.map(({ value }) => value);
    expect(valuesOf(other)).toEqual(['0.000000', '0.007000', null]);
    expect(other).toMatchObject({ value: '0.007000', previous_value: null, change: null });
    expect(valuesOf(total)).toEqual(['0.000000', '0.307150', '0.300150']);
    const found = (await questions.breakdown('model', 'cost', { search: 'ed', limit: '1' })).body;
    expect(found).toMatchObject({ data: [{ key: 'priced' }], other: { value: '0.007000' } });
  });

  it('is right by other tiers with the next pass in the background', async () => {
    await questions.givenUsage(modelCall(owner, DAY, { modelId: 'house', inputTokens: 5_000, outputTokens: 0 }));
    const tiers = (above: number) => [
      { model: 'house', since: '2026-01-01', input: '1', output: '1', tiers: [{ above, input: '3' }] },
    ];
    const aggregation = app.nest.get(AggregationService);
    for (const [above, cost] of [
      [5_000, '0.005000'],
      [4_999, '0.015000'],
    ] as const) {
      await app.as(owner).put('/api/v0/organization/prices', { prices: tiers(above) });
      await eventually('the day is made anew', async () => (await aggregation.addMissingFacts(10_000)) === 1);
      expect((await questions.ask('summary')).body.data.current.cost).toBe(cost);
    }
  });

  it('is null with a reason for days of which only stored rows are left', async () => {
    await givenPrices(app.database.url, org.id, '2026-05-20');
    await questions.givenUsage(
      modelCall(owner, DAY, { modelId: 'priced' }),
      modelCall(owner, '2026-05-21', { modelId: 'tiered' }),
    );
    for (const table of ['day_model_facts', 'user_model_facts']) {
      await query(
        app.database.url,
        `UPDATE ${table} SET client = 0, calls = NULL, cache_read = NULL, cache_write = NULL WHERE org_id = $1 AND day = $2`,
        [org.id, DAY],
      );
    }
    const { body } = await questions.ask('summary');
    expect(body.meta).toMatchObject({
      reasons: ['list_price', 'raw_events_gone'],
      unpriced_tokens: 110,
      unpriced_models: ['priced'],
    });
    expect(body.data.current).toMatchObject({ input_tokens: 200, model_calls: 1 });
    expect((await questions.breakdown('client', 'cost')).body.data).toMatchObject([
      { key: 'non-interactive-cli', value: '0.000120' },
      { key: '(unknown)', value: null },
    ]);
    expect((await questions.breakdown('user', 'cost')).body.data).toMatchObject([{ key: owner.id, value: '0.000120' }]);
    expect((await questions.breakdown('model', 'model_calls')).body.data).toMatchObject([
      { key: 'tiered', value: 1 },
      { key: 'priced', value: null },
    ]);
  });
});
