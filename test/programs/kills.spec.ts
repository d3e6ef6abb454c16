import { runWithKills } from '../support/kill-run.js';

describe('while the service and the aggregation are killed at random moments', () => {
  it('no acknowledged event is lost, none counts twice, and every figure equals a recount', async () => {
    const result = await runWithKills({ kills: 5, seed: 1 });
    expect(result).toMatchObject({ lost: 0, phantoms: 0, doubledTokens: 0 });
    expect(result.verification).toContain('No differences.');
    expect(result.acknowledged).toBeGreaterThan(100);
  }, 120_000);
});
