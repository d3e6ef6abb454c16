import {
  begun,
  dropped,
  ended,
  expired,
  interrupted,
  isOverdue,
  mayRetry,
  queued,
  retried,
  type SessionChange,
} from '../../src/modules/turns/turn.js';
import { turnKey } from '../../src/protocol/relay-protocol.js';

const EARLIER = new Date('2026-11-14T12:00:00Z');
const NOW = new Date('2026-11-15T12:00:00Z');

function statusesIn({ events }: SessionChange): string[] {
  return events.map(({ type, status }) => `${type} ${status}`);
}

describe('a turn that is queued', () => {
  it('makes an idle session pending and wakes the agent', () => {
    const change = queued({ status: 'idle', completedAt: EARLIER }, false);
    expect(change).toMatchObject({ status: 'pending', completedAt: EARLIER, wake: 'turn_queued' });
    expect(statusesIn(change)).toEqual(['status.changed pending']);
  });

  it('passes through pending when an agent begins it at once, which needs no notification', () => {
    const change = queued({ status: 'idle', completedAt: EARLIER }, true);
    expect(change).toMatchObject({ status: 'running', completedAt: null, wake: null });
    expect(statusesIn(change)).toEqual(['status.changed pending', 'status.changed running']);
  });

  it.each(['pending', 'running'] as const)('leaves a session that is %s as it is', (status) => {
    const change = queued({ status, completedAt: null }, false);
    expect(change).toEqual({ status, completedAt: null, events: [], wake: 'turn_queued' });
  });
});

it('a turn that is begun makes its session running, without an end', () => {
  const change = begun();
  expect(change).toMatchObject({ status: 'running', completedAt: null, wake: null });
  expect(statusesIn(change)).toEqual(['status.changed running']);
});

describe('a turn that ends', () => {
  it('makes its session idle', () => {
    const change = ended(NOW, false);
    expect(change).toMatchObject({ status: 'idle', completedAt: NOW, wake: null });
    expect(statusesIn(change)).toEqual(['status.changed idle']);
  });

  it('makes its session pending when another turn waits', () => {
    const change = ended(NOW, true);
    expect(change).toMatchObject({ status: 'pending', completedAt: NOW, wake: null });
    expect(statusesIn(change)).toEqual(['status.changed pending']);
  });

  it.each([true, false])('does the same without its agent, which has to be told (another waits: %s)', (hasQueued) => {
    expect(expired(NOW, hasQueued)).toEqual({ ...ended(NOW, hasQueued), wake: 'turns_changed' });
  });

  it('by an interruption leaves nothing waiting', () => {
    const change = interrupted(NOW);
    expect(change).toMatchObject({ status: 'idle', completedAt: NOW, wake: 'turns_changed' });
    expect(statusesIn(change)).toEqual(['status.changed idle']);
  });
});

describe('a turn whose agent is gone', () => {
  it('is retried once', () => {
    expect(mayRetry({ attempt: 1, hasToolMessage: false })).toBe(true);
    expect(mayRetry({ attempt: 2, hasToolMessage: false })).toBe(false);
  });

  it('is not retried after a tool has been at work', () => {
    expect(mayRetry({ attempt: 1, hasToolMessage: true })).toBe(false);
  });

  it('makes its session pending when it is retried', () => {
    const change = retried({ status: 'running', completedAt: null });
    expect(change).toMatchObject({ status: 'pending', completedAt: null, wake: 'turns_changed' });
    expect(statusesIn(change)).toEqual(['status.changed pending']);
  });

  it('is overdue only after its lease', () => {
    expect(isOverdue({ leaseUntil: new Date(NOW.getTime() - 1) }, NOW)).toBe(true);
    expect(isOverdue({ leaseUntil: NOW }, NOW)).toBe(false);
    expect(isOverdue({ leaseUntil: null }, NOW)).toBe(false);
  });
});

describe('queued turns whose computer is closed', () => {
  it('leave their session idle', () => {
    const change = dropped({ status: 'pending', completedAt: EARLIER }, NOW);
    expect(change).toMatchObject({ status: 'idle', completedAt: NOW, wake: null });
    expect(statusesIn(change)).toEqual(['status.changed idle']);
  });

  it('do not disturb a running one', () => {
    const change = dropped({ status: 'running', completedAt: null }, NOW);
    expect(change).toEqual({ status: 'running', completedAt: null, events: [], wake: null });
  });
});

it('attempts at the same turn have different keys', () => {
  const turn = { sessionId: 's', messageId: 'm', attempt: 1 };
  expect(turnKey(turn)).toBe(turnKey({ ...turn }));
  expect(turnKey(turn)).not.toBe(turnKey({ ...turn, attempt: 2 }));
});
