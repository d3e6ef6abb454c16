import { runWithBlows } from '../support/relay-kill-run.js';

describe('while service, database, network, agent client and agents are struck again and again', () => {
  it('every message has one finished turn, every answer stands once, and order is kept', async () => {
    const ledger = await runWithBlows({ blows: 25, seed: 1 });
    expect(ledger).toMatchObject({ withoutTurn: [], unanswered: [], repeated: [], disordered: [], miscounted: [] });
    expect(ledger.completed).toBeGreaterThan(ledger.posted / 3);
  }, 600_000);
});
