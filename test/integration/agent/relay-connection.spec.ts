import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { RelayConnection } from '../../../src/agent/relay/relay-connection.js';
import { eventually } from '../../support/eventually.js';

let server: Server | null = null;
let relay: RelayConnection;
let warnings: string[];
let attempts: number;

beforeEach(() => {
  warnings = [];
  attempts = 0;
});
afterEach(async () => {
  relay.stop();
  await new Promise((resolve) => server?.close(resolve));
});

/** Begins to connect to a service that answers each attempt in this way. Resolves when the client has given up. */
async function connectTo(answer: (socket: Socket) => void): Promise<{ ended: Promise<void> }> {
  const listening = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        attempts += 1;
        answer(socket);
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
