import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { RelayConnection } from '../../../src/agent/relay/relay-connection.js';
import { NetworkWatch } from '../../../src/agent/relay/network-watch.js';
import { eventually } from '../../support/eventually.js';

let server: Server | null = null;
let relay: RelayConnection;
let warnings: string[];
let attempts: number;
/** Of the machine, looked at every few milliseconds. */
let addresses: string[];

beforeEach(() => {
  warnings = [];
  attempts = 0;
  addresses = ['192.0.2.1'];
});
afterEach(async () => {
  relay.stop();
  await new Promise((resolve) => server?.close(resolve));
});

/** Begins to connect to a service that answers each attempt in this way. Resolves when the client has given up. */
async function connectTo(answer: (socket: Socket, head: Buffer) => void): Promise<{ ended: Promise<void> }> {
  const listening = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (head) => {
        attempts += 1;
        answer(socket, head);
      });
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  server = listening;
  relay = new RelayConnection({
    url: `ws://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    key: 'key',
    log: { info: () => undefined, warn: (message) => warnings.push(message) },
    hello: () => ({ protocol: 1, agent: { name: 'test', version: '1' }, slots: 1, turns: [] }),
    onWelcome: () => undefined,
    onDown: () => undefined,
    onTurn: () => undefined,
    onCancel: () => undefined,
    network: new NetworkWatch(() => addresses, 5),
  });
  const ended = relay.run();
  ended.catch(() => undefined);
  return { ended };
}

const http = (status: string, detail: string) => {
  const body = JSON.stringify({ detail });
  return `HTTP/1.1 ${status}\r\nContent-Type: application/problem+json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

describe('an attempt to connect', () => {
  it.each(['400 Bad Request', '401 Unauthorized', '403 Forbidden', '404 Not Found'])(
    'that is answered with %s is the last one',
    async (status) => {
      const { ended } = await connectTo((socket) => socket.end(http(status, 'You may not.')));
      await expect(ended).rejects.toThrow('The service refuses: You may not.');
      expect(attempts).toBe(1);
    },
  );

  it.each(['429 Too Many Requests', '502 Bad Gateway', '503 Service Unavailable'])(
    'that is answered with %s is made again',
    async (status) => {
      await connectTo((socket) => socket.end(http(status, 'Not now.')));
      await eventually('it tries again', () => attempts > 1);
      expect(warnings[0]).toMatch(/^The connection ended: Not now\. Connecting again in \d\.\d s\.$/);
    },
  );

  it.each<[string, (socket: Socket) => void]>([
    ['is cut off before an answer', (socket) => socket.resetAndDestroy()],
    [
      'is cut off in the middle of an answer',
      (socket) => socket.write(http('503 Service Unavailable', 'Not now.').slice(0, -5), () => socket.destroy()),
    ],
    ['is answered with something else', (socket) => socket.end('220 mail.example.com ESMTP\r\n')],
  ])('that %s is made again', async (_how, answer) => {
    await connectTo(answer);
    await eventually('it tries again', () => attempts > 1);
  });

  it('that nobody answers is made again as soon as the network is back', async () => {
    await connectTo(() => undefined);
    await eventually('it has tried', () => attempts === 1);
    addresses = [];
    await delay(50);
    expect(attempts).toBe(1);
    addresses = ['192.0.2.1'];
    await eventually('it tries again', () => attempts === 2, 2_000);
  });

  it('is not made any more after the client has stopped', async () => {
    const { ended } = await connectTo((socket) => socket.destroy());
    await eventually('it has tried', () => warnings.length > 0);
    relay.stop();
    await expect(ended).resolves.toBeUndefined();
  });

  it('that nobody answers is given up when the client stops', async () => {
    const { ended } = await connectTo(() => undefined);
    await eventually('it is trying', () => attempts === 1);
    relay.stop();
    await expect(ended).resolves.toBeUndefined();
  });
});

describe('a connection', () => {
  /** Accepts the socket. */
  const accept = (socket: Socket, head: Buffer) => {
    const key = /^sec-websocket-key: (.+)\r$/im.exec(head.toString())?.[1] ?? '';
    const answer = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${answer}\r\n\r\n`,
    );
  };

  it('that did not survive a change of the network is replaced within two seconds', async () => {
    await connectTo(accept); // and never says anything again
    await eventually('it is open', () => attempts === 1);
    await delay(100);
    addresses = ['192.0.2.1', '192.0.2.2'];
    await eventually('it is replaced', () => attempts === 2, 2_000);
  });
});
