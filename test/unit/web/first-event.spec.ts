import { arrivalOf, baselineOf } from '../../../src/web/pages/connect/first-event.js';
import type { Source } from '../../../src/web/api/telemetry.js';

const source = (changes: Partial<Source>): Source => ({
  ...{
    userId: 'u',
    userEmail: 'ada@example.com',
    agent: 'claude-code',
    version: '2.1.197',
    firstSeenAt: '',
    lastSeenAt: '',
  },
  ...{ counted: 0, ignored: 0, refused: 0 },
  ...changes,
});

describe('what the set-up wizard says', () => {
  const other = source({ agent: 'codex', counted: 5, ignored: 7 });
  const before = baselineOf('claude-code', [other, source({ counted: 3 })], { refused: 1 }, 0);
  const told = (sources: Source[], { refusals = 1, nowMs = 1_000 } = {}) =>
    arrivalOf('claude-code', before, { sources, refusals: { refused: refusals, reason: 'No.' }, nowMs });
  const had = source({ counted: 3 });

  it('waits, and after a while says that it is silent', () => {
    expect(told([other, had])).toEqual({ state: 'waiting' });
    expect(told([other, had], { nowMs: 91_000 })).toEqual({ state: 'silent' });
  });

  it('is content with the first event that counts, whatever else went wrong', () => {
    const arrived = told([other, source({ counted: 5, ignored: 9, refused: 1 })], { refusals: 4 });
    expect(arrived).toEqual({ state: 'arrived', counted: 2, versions: ['2.1.197'] });
  });

  it('tells a wrong key, unknown records and refused events apart', () => {
    expect(told([other, had], { refusals: 2 })).toEqual({ state: 'wrong-key', reason: 'No.' });
    expect(told([other, source({ counted: 3, ignored: 2 })])).toEqual({ state: 'unknown', ignored: 2 });
    expect(told([other, had, source({ agent: 'other', ignored: 4 })])).toEqual({ state: 'unknown', ignored: 4 });
    expect(told([had, source({ refused: 1, lastReason: 'at lies in the future' })])).toEqual({
      state: 'refused',
      reason: 'at lies in the future',
    });
  });

  it('is not misled by other agents of the same person', () => {
    expect(told([source({ agent: 'codex', counted: 50, ignored: 70 }), had])).toEqual({ state: 'waiting' });
  });
});
