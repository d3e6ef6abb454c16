import { runWithBlows } from '../support/relay-kill-run.js';

describe('when agent client, service, network and agent are struck once each', () => {
  it('every message has one finished turn, every answer stands once, and order is kept', async () => {
    const ledger = await runWithBlows({ blows: 4, seed: 2, kinds: ['agent client', 'service', 'network', 'agent'] });
    expect(ledger).toMatchObject({ withoutTurn: [], unanswered: [], repeated: [], disordered: [], miscounted: [] });
  }, 120_000);
});
