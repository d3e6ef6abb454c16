import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { WebSocket, WebSocketServer } from 'ws';
import { UnavailableError } from '../../src/common/errors/domain-error.js';
import { RpcSocket } from '../../src/modules/relay/rpc-socket.js';
import { eventually } from '../support/eventually.js';

const KIB = 1024;

let server: WebSocketServer;
let client: WebSocket;
let received: string[];
let handled: string[];
let arrived: number;
let answer: (method: string) => Promise<unknown>;

beforeEach(async () => {
  received = [];
  handled = [];
  arrived = 0;
  answer = () => Promise.resolve({});
  server = new WebSocketServer({ port: 0, perMessageDeflate: false });
  const ownHandled = handled; // what has arrived is dealt with even after the other side has gone
  server.on('connection', (socket) => {
    const onRequest = (method: string) => {
      ownHandled.push(method);
      return answer(method);
    };
    socket.on('message', () => arrived++);
    new RpcSocket(socket, new Logger('test'), onRequest, () => undefined);
  });
  await once(server, 'listening');
  client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('message', (data: Buffer) => received.push(data.toString()));
  await once(client, 'open');
});
afterEach(() => {
  client.terminate();
  server.close();
});

const request = (id: number, size = 0) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: `m${id}`, params: { text: 'x'.repeat(size) } });

describe('what arrives on a socket', () => {
  it('is dealt with one after the other, in order', async () => {
    let running = 0;
    let most = 0;
    answer = async () => {
      most = Math.max(most, ++running);
      await delay(5);
      running--;
    };
    for (let id = 1; id <= 20; id++) client.send(request(id));
    await eventually('all are answered', () => received.length === 20);
    expect(most).toBe(1);
    expect(handled).toEqual(Array.from({ length: 20 }, (_, i) => `m${i + 1}`));
  });

  it('waits in the network while the service is slow', async () => {
    answer = () => delay(1);
    let mostWaiting = 0;
    // Small frames: a single read brings dozens of them.
    for (let id = 1; id <= 20 * KIB; id++) client.send(request(id, KIB));
    await eventually('some are dealt with', () => {
      mostWaiting = Math.max(mostWaiting, arrived - handled.length);
      return handled.length >= 300;
    });
    expect(mostWaiting).toBeLessThan(200);
  });

  it('is all dealt with in the end', async () => {
    for (let id = 1; id <= 900; id++) client.send(request(id, 10 * KIB));
    await eventually('all are answered', () => received.length === 900);
    expect(handled).toHaveLength(900);
  });

  it('is refused with a code that says to try again while the database is away', async () => {
    answer = () => Promise.reject(new UnavailableError('The database is not available at the moment.'));
    client.send(request(1));
    await eventually('the answer', () => received.length === 1);
    expect(received[0]).toContain('-32000');
  });

  it('is refused without a word about what is broken inside', async () => {
    Logger.overrideLogger(false);
    answer = () => Promise.reject(new Error('password=hunter2'));
    client.send(request(1));
    await eventually('the answer', () => received.length === 1);
    expect(received[0]).toContain('-32603');
    expect(received[0]).not.toContain('hunter2');
  });
});

describe('an average of 200 frames a second', () => {
  it('is what remains of a flood after the first thousand', async () => {
    const startedAt = performance.now();
    for (let id = 1; id <= 1_400; id++) client.send(request(id));
    await eventually('all answers', () => received.length === 1_400);
    // A thousand may come at once; at that pace, the others take two seconds from the first frame on.
    expect(performance.now() - startedAt).toBeGreaterThan(1_800);
  });
});
