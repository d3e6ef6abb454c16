import { setTimeout as delay } from 'node:timers/promises';
import { parseParams, readRpc, RPC_ERROR, RpcError } from '../../../src/protocol/json-rpc.js';
import { AGENT_REQUESTS, HelloParams, TurnRef } from '../../../src/protocol/relay-protocol.js';
import { RpcPeer, type RpcPeerOptions } from '../../../src/protocol/rpc-peer.js';

type Sent = Record<string, unknown>;

function peerWith(options: Partial<RpcPeerOptions> = {}): { peer: RpcPeer; sent: Sent[] } {
  const sent: Sent[] = [];
  const peer = new RpcPeer({
    send: (text) => sent.push(JSON.parse(text) as Sent),
    onRequest: () => ({}),
    onNotification: () => undefined,
    toRpcError: (error) => new RpcError(RPC_ERROR.internal, `hidden: ${(error as Error).message.length}`),
    ...options,
  });
  return { peer, sent };
}

const answerTo = (id: unknown, result: unknown) => readRpc({ jsonrpc: '2.0', id, result });
const request = (id: number | string, method = 'ping', params?: unknown) =>
  readRpc({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });

describe('a request that a peer makes', () => {
  it('is answered with the result of the other side', async () => {
    const { peer, sent } = peerWith();
    const answer = peer.request('ping', { a: 1 }, 1_000);
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 1 } }]);
    await peer.receive(answerTo(1, 'pong'));
    expect(await answer).toBe('pong');
  });

  it('is told apart from others by its id, in whatever order answers come', async () => {
    const { peer } = peerWith();
    const answers = [peer.request('a', {}, 1_000), peer.request('b', {}, 1_000)];
    await peer.receive(answerTo(2, 'second'));
    await peer.receive(answerTo(1, 'first'));
    expect(await Promise.all(answers)).toEqual(['first', 'second']);
  });

  it('fails with the error of the other side', async () => {
    const { peer } = peerWith();
    const answer = peer.request('ping', {}, 1_000);
    await peer.receive(readRpc({ jsonrpc: '2.0', id: 1, error: { code: -32004, message: 'gone' } }));
    await expect(answer).rejects.toMatchObject({ name: 'RpcError', code: -32004, message: 'gone', isTransient: false });
  });

  it('fails when it is not answered in time, and may be made again', async () => {
    const { peer } = peerWith();
    await expect(peer.request('ping', {}, 10)).rejects.toMatchObject({ isTransient: true });
  });

  it('that was given up is not disturbed by a late answer', async () => {
    const { peer } = peerWith();
    await peer.request('ping', {}, 10).catch(() => undefined);
    await expect(peer.receive(answerTo(1, 'late'))).resolves.toBeUndefined();
  });

  it('fails when the conversation ends, before or after it', async () => {
    const { peer, sent } = peerWith();
    const answer = peer.request('ping', {}, 60_000);
    peer.close(new Error('closed'));
    await expect(answer).rejects.toThrow('closed');
    await expect(peer.request('ping', {}, 60_000)).rejects.toThrow('closed');
    expect(sent).toHaveLength(1);
  });
});

describe('a request that a peer gets', () => {
  it('is answered under its id', async () => {
    const { peer, sent } = peerWith({ onRequest: (method, params) => ({ method, params }) });
    await peer.receive(request('x', 'ping', [1]));
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 'x', result: { method: 'ping', params: [1] } }]);
  });

  it('without a result is answered with an empty one', async () => {
    const { peer, sent } = peerWith({ onRequest: () => Promise.resolve(undefined) });
    await peer.receive(request(7));
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 7, result: {} }]);
  });

  it('is waited for: whoever reads frames can read the next one after it', async () => {
    let isDone = false;
    const { peer } = peerWith({
      onRequest: async () => {
        await delay(20);
        isDone = true;
      },
    });
    await peer.receive(request(1));
    expect(isDone).toBe(true);
  });

  it('is answered with the error that it leads to', async () => {
    const { peer, sent } = peerWith({
      onRequest: () => {
        throw new RpcError(RPC_ERROR.stale, 'over');
      },
    });
    await peer.receive(request(1));
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: RPC_ERROR.stale, message: 'over' } }]);
  });

  it('does not show what went wrong inside', async () => {
    const { peer, sent } = peerWith({ onRequest: () => Promise.reject(new Error('secret')) });
    await peer.receive(request(1));
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: RPC_ERROR.internal, message: 'hidden: 6' } }]);
  });

  it('is not answered once the conversation has ended', async () => {
    const { peer, sent } = peerWith({ onRequest: () => delay(10) });
    const received = peer.receive(request(1));
    peer.close(new Error('closed'));
    await received;
    peer.notify('bye', {});
    peer.refuse(new RpcError(RPC_ERROR.parse, 'x'));
    expect(sent).toEqual([]);
  });
});

describe('a notification', () => {
  it('is heard and not answered', async () => {
    const heard: unknown[] = [];
    const { peer, sent } = peerWith({ onNotification: (method, params) => heard.push([method, params]) });
    await peer.receive(readRpc({ jsonrpc: '2.0', method: 'bye', params: { reason: 'x' } }));
    expect([heard, sent]).toEqual([[['bye', { reason: 'x' }]], []]);
  });
});

describe('a frame to which no answer can be addressed', () => {
  it('is refused under no id', () => {
    const { peer, sent } = peerWith();
    peer.refuse(new RpcError(RPC_ERROR.parse, 'no JSON'));
    expect(sent).toEqual([{ jsonrpc: '2.0', id: null, error: { code: RPC_ERROR.parse, message: 'no JSON' } }]);
  });
});

describe('parameters', () => {
  const ref = { sessionId: '01980f73-6d55-7e6f-9071-8c9d0e1f2a3b', messageId: '01980F73-6D55-7E6F-9071-8C9D0E1F2A3B' };

  it('that are left out are an empty object', () => {
    expect(() => parseParams(AGENT_REQUESTS['turn.renew'].params, undefined)).toThrow(/^turns: /);
  });

  it('are refused with the first field that is wrong, and why', () => {
    expect(() => parseParams(TurnRef, { ...ref, attempt: 0 })).toThrow(/^attempt: .*1/);
    expect(() => parseParams(TurnRef, 'x')).toThrow(/^params: /);
  });

  it('have ids in lower case', () => {
    expect(parseParams(TurnRef, { ...ref, attempt: 1 }).messageId).toBe(ref.sessionId);
  });

  it.each([0, 101, 1.5, '4'])('of hello cannot name %p slots', (slots) => {
    const hello = { protocol: 1, agent: { name: 'a', version: '1' }, slots, turns: [] };
    expect(() => parseParams(HelloParams, hello)).toThrow(/^slots: /);
  });
});
