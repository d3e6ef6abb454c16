import { runWithKills } from '../support/kill-run.js';

describe('while the service and the aggregation are killed fifty times', () => {
  it('no acknowledged event is lost, none counts twice, and every figure equals a recount', async () => {
    const result = await runWithKills({ kills: 50, seed: 3 });
    expect(result).toMatchObject({ lost: 0, phantoms: 0, doubledTokens: 0 });
    expect(result.verification).toContain('No differences.');
    expect(result.killedAggregations).toBeGreaterThan(10);
  }, 600_000);

  it('events that were acknowledged too early would be missed', async () => {
    const result = await runWithKills({ kills: 2, seed: 2, program: '../test/support/forgetful-service.mjs' });
    expect(result.lost).toBeGreaterThan(0);
  }, 120_000);
});
