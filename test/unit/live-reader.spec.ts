import type { Principal } from '../../src/common/access/principal.js';
import { StatusChanges } from '../../src/modules/live/live-changes.js';
import { LiveReader } from '../../src/modules/live/live-reader.js';

const reader = () => new LiveReader({} as Principal);
const changed = (sessionId: string, status: 'idle' | 'running') =>
  ({ event: 'session.changed', data: { sessionId, status, computerId: 'c' } }) as const;

describe('a reader', () => {
  it('gets only the last of several events about the same thing', async () => {
    const tab = reader();
    tab.send(changed('a', 'running'));
    tab.send(changed('b', 'running'));
    tab.send(changed('a', 'idle'));
    tab.send({ event: 'session.deleted', data: { sessionId: 'b' } });
    expect(await tab.take(0)).toEqual([changed('a', 'idle'), { event: 'session.deleted', data: { sessionId: 'b' } }]);
    expect(await tab.take(0)).toEqual([]);
  });

  it('that takes nothing is told to read everything again, and holds no more than that', async () => {
    const tab = reader();
    for (let i = 0; i < 2_000; i++) tab.send(changed(`${i}`, 'idle'));
    expect(await tab.take(0)).toEqual([{ event: 'resync', data: {} }]);
  });

  it('is woken by an event and by its end', async () => {
    const tab = reader();
    const taken = tab.take(10_000);
    tab.send(changed('a', 'idle'));
    expect(await taken).toEqual([changed('a', 'idle')]);
    const rest = tab.take(10_000);
    tab.end();
    expect([await rest, tab.hasEnded()]).toEqual([[], true]);
  });
});

describe('a change of status', () => {
  const change = (status?: string) => ({ orgId: 'o', sessionId: 's', status });

  it('is one that differs from the last, or about which nothing is known', () => {
    const changes = new StatusChanges();
    const seen = ['idle', 'idle', 'running', 'running', undefined, 'running'].map((status) =>
      changes.isChange(change(status)),
    );
    expect(seen).toEqual([true, false, true, false, true, true]);
    changes.clear();
    expect(changes.isChange(change('running'))).toBe(true);
  });
});
