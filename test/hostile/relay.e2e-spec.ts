import { setTimeout as delay } from 'node:timers/promises';
import type { TurnStart } from '../../src/protocol/relay-protocol.js';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { givenMessage, givenSession, type GivenSession } from '../support/given-session.js';
import { itLong } from '../support/long.js';
import { refOf, RelayAgent, says } from '../support/relay-agent.js';
import { clientPath } from '../support/relay-client.js';
import { RelaySocket } from '../support/relay-socket.js';
import { TestApp } from '../support/test-app.js';

const PARSE = -32700;
const INVALID_REQUEST = -32600;
const UNKNOWN_METHOD = -32601;
const INVALID = -32602;
const MIB = 1024 * 1024;

const errors: string[] = [];
let app: TestApp;
let ada: GivenUser;
let session: GivenSession;
let agent: RelayAgent;
let turn: TurnStart;

beforeAll(async () => {
  app = await TestApp.start({
    onLog: (line) => (JSON.parse(line) as { level: number }).level >= 50 && errors.push(line),
  });
  ada = await app.given.user(await app.given.organization());
});
beforeEach(async () => {
  session = await givenSession(app, ada);
  agent = await RelayAgent.connect(app.url, ada.key, session.computerId);
  await givenMessage(app, session, 'Hello');
  turn = await agent.turn();
});
afterEach(async () => {
  await agent.end();
  expect(errors).toEqual([]);
});
afterAll(() => app.stop());

interface Answer {
  id: number | string | null;
  result?: unknown;
  error?: { code: number; message: string };
}

/** Sends a frame as it is and returns the answer to it. */
async function ask(frame: string | Buffer, { socket } = agent.relay): Promise<Answer> {
  const answer = new Promise<Answer>((resolve) =>
    socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString()) as Answer)),
  );
  socket.send(frame, { binary: false });
  return answer;
}

/** The text of a request that stores a message; `content` and `more` go in as they are. */
const put = (content: string, more = '') =>
  `{"jsonrpc":"2.0","id":1,"method":"message.put","params":{"turn":${JSON.stringify(refOf(turn))},` +
  `"messages":[{"id":"01980f73-6d55-7e6f-9071-8c9d0e1f2a3b","role":"assistant","content":${content}${more}}]}}`;
const text = (json: string) => `[{"type":"text","text":${json}}]`;
const works = async () => expect(await agent.renew(turn)).toEqual([]);

describe('a frame that is no message', () => {
  it.each([
    ['nothing', '', PARSE],
    ['no JSON', 'hello', PARSE],
    ['JSON that stops', '{"jsonrpc":"2.0",', PARSE],
    ['a number', '1', INVALID_REQUEST],
    ['null', 'null', INVALID_REQUEST],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"turn.renew"}]', INVALID_REQUEST],
    ['an empty batch', '[]', INVALID_REQUEST],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"turn.renew"}', INVALID_REQUEST],
    ['no version', '{"id":1,"method":"turn.renew"}', INVALID_REQUEST],
    ['an id that is none', '{"jsonrpc":"2.0","id":{},"method":"turn.renew"}', INVALID_REQUEST],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"turn.renew"}', INVALID_REQUEST],
    ['a fraction for an id', '{"jsonrpc":"2.0","id":1.5,"method":"turn.renew"}', INVALID_REQUEST],
    ['a method that is none', '{"jsonrpc":"2.0","id":1,"method":7}', INVALID_REQUEST],
    ['an empty method', '{"jsonrpc":"2.0","id":1,"method":""}', INVALID_REQUEST],
    ['a method without end', `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(101)}"}`, INVALID_REQUEST],
    ['further fields', '{"jsonrpc":"2.0","id":1,"method":"turn.renew","admin":true}', INVALID_REQUEST],
    ['the same key twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"turn.renew"}', PARSE],
    ['a key that touches prototypes', '{"jsonrpc":"2.0","id":1,"method":"x","params":{"__proto__":{}}}', PARSE],
    ['a constructor', '{"jsonrpc":"2.0","id":1,"method":"x","params":{"constructor":{}}}', PARSE],
    ['a NUL', '{"jsonrpc":"2.0","id":1,"method":"\\u0000"}', PARSE],
    ['a lone surrogate', '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', PARSE],
    ['a number that nothing can hold', '{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":1e999}}', PARSE],
    ['an integer that a double rounds', '{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}', PARSE],
    [
      'deep nesting',
      `{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      PARSE,
    ],
  ])('is refused, and the conversation goes on: %s', async (_, frame, code) => {
    const { id, error } = await ask(frame);
    expect([id, error?.code, error?.message]).toEqual([null, code, expect.any(String)]);
    await works();
  });

  it('is refused with a closed socket when it is binary', async () => {
    agent.relay.socket.send(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"turn.renew"}'), { binary: true });
    expect(await agent.relay.untilClosed()).toEqual({ code: 4004, reason: 'Frames have to be text.' });
  });

  it('is refused with a closed socket when it is not UTF-8', async () => {
    agent.relay.socket.send(Buffer.from([0x22, 0xff, 0xfe, 0x22]), { binary: false });
    expect((await agent.relay.untilClosed()).code).toBe(1007);
  });

  it('is refused with a closed socket when it is larger than eight mebibytes', async () => {
    agent.relay.socket.send(put(text(`"${'x'.repeat(9 * MIB)}"`)));
    expect((await agent.relay.untilClosed()).code).toBe(1009);
  });

  it('is ignored when it answers nothing that was asked', async () => {
    agent.relay.socket.send('{"jsonrpc":"2.0","id":4711,"result":{}}');
    agent.relay.socket.send('{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}');
    agent.relay.socket.send('{"jsonrpc":"2.0","method":"turn.end","params":{}}');
    await works();
  });
});

describe('a request that is wrong', () => {
  it.each(['frob', 'toString', '__proto__', 'constructor', 'turn.start', 'session.follow'])(
    'is refused: there is no method "%s"',
    async (method) => {
      const { code } = await agent.relay.refusal(method, {});
      expect(code).toBe(UNKNOWN_METHOD);
    },
  );

  const ref = { sessionId: '01980f73-6d55-7e6f-9071-8c9d0e1f2a3b', messageId: '01980f73-6d55-7e6f-9071-8c9d0e1f2a3b' };
  it.each<[string, string, object]>([
    ['turns', 'turn.renew', {}],
    ['turns', 'turn.renew', { turns: {} }],
    ['turns.0.attempt', 'turn.renew', { turns: [{ ...ref, attempt: 0 }] }],
    ['turns.0.attempt', 'turn.renew', { turns: [{ ...ref, attempt: '1' }] }],
    ['turns.0.sessionId', 'turn.renew', { turns: [{ ...ref, sessionId: 'x', attempt: 1 }] }],
    [
      'turns.1.messageId',
      'turn.renew',
      {
        turns: [
          { ...ref, attempt: 1 },
          { sessionId: ref.sessionId, attempt: 1 },
        ],
      },
    ],
    ['turns', 'turn.renew', { turns: Array(1_001).fill({ ...ref, attempt: 1 }) }],
    ['params', 'turn.renew', { turns: [], more: 1 }],
    ['params', 'turn.renew', []],
    ['messages', 'message.put', { turn: { ...ref, attempt: 1 }, messages: [] }],
    ['messages', 'message.put', { turn: { ...ref, attempt: 1 }, messages: Array(101).fill(says('x')) }],
    ['messages.0.role', 'message.put', { turn: { ...ref, attempt: 1 }, messages: [{ ...says('x'), role: 'user' }] }],
    ['messages.0.content', 'message.put', { turn: { ...ref, attempt: 1 }, messages: [{ ...says('x'), content: [] }] }],
    ['messages.0', 'message.put', { turn: { ...ref, attempt: 1 }, messages: [{ ...says('x'), createdAt: 1 }] }],
    ['turn', 'turn.end', { reason: 'completed' }],
    ['turn.attempt', 'turn.abandon', { turn: ref }],
    ['sessionId', 'usage.report', { events: [] }],
  ])('names the field %s of %s', async (field, method, params) => {
    const { code, message } = await agent.relay.refusal(method, params);
    expect([code, message.split(':')[0]]).toEqual([INVALID, field]);
    await works();
  });

  it('has a number that the database cannot hold', async () => {
    const turns = [{ ...refOf(turn), attempt: 2 ** 40 }];
    expect((await agent.relay.refusal('turn.renew', { turns })).code).toBe(INVALID);
    await works();
  });
});

describe('text that is strange but right', () => {
  it.each([
    ['every plane', '"\\ud83d\\ude00 𝕏 \\u2028\\u2029\\u0001\\u001f\\u007f\\ufeff"'],
    ['one word that is very long', `"${'x'.repeat(MIB)}"`],
    ['a great many words', JSON.stringify(Array.from({ length: 100_000 }, (_, i) => i.toString(36)).join(' '))],
    ['words that look like a search', JSON.stringify("' & | ! <-> ( :* \\' ) -- ; DROP TABLE turns")],
  ])('is stored as it is: %s', async (_, json) => {
    expect(await ask(put(text(json)))).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    const { body } = await app.as(ada).get(`${session.path}/messages?limit=1`);
    expect(body.messages[0].content[0].text).toBe(JSON.parse(json));
  });

  it('comes in a request whose id is a string', async () => {
    const frame = `{"jsonrpc":"2.0","id":"ünï-1","method":"turn.renew","params":{"turns":[]}}`;
    expect(await ask(frame)).toEqual({ jsonrpc: '2.0', id: 'ünï-1', result: { lostTurns: [] } });
  });
});

describe('a flood', () => {
  itLong(
    'is answered in order, while others are answered as ever',
    async () => {
      const count = 2_000; // after the first thousand, 200 a second
      const startedAt = performance.now();
      const ids: (number | string | null)[] = [];
      agent.relay.socket.on('message', (data: Buffer) => ids.push((JSON.parse(data.toString()) as Answer).id));
      for (let id = 1; id <= count; id++) agent.relay.socket.send(`{"jsonrpc":"2.0","id":"${id}","method":"frob"}`);
      let answeredMeanwhile = 0;
      while (ids.length < count) {
        expect((await app.as(ada).get('/api/v0/me')).status).toBe(200);
        if (ids.length < count) answeredMeanwhile += 1;
        await delay(200);
      }
      expect(ids).toEqual(Array.from({ length: count }, (_, i) => String(i + 1)));
      expect(performance.now() - startedAt).toBeGreaterThan(4_000);
      expect(answeredMeanwhile).toBeGreaterThan(3); // whoever had to wait for its end would be answered once
    },
    60_000,
  );

  itLong('of large messages that nobody needs is slowed down to what is stored', async () => {
    const big = put(text(`"${'x'.repeat(MIB)}"`));
    const sent = Array.from({ length: 20 }, (_, i) => big.replace('2a3b', (0x2a3b + i).toString(16)));
    let answers = 0;
    agent.relay.socket.on('message', () => answers++);
    for (const frame of sent) agent.relay.socket.send(frame);
    await eventually('all are stored', () => answers === sent.length, 25_000);
    expect((await app.as(ada).get(session.path)).body.messageCount).toBe(1 + sent.length);
  });
});

describe('the socket for clients', () => {
  it('takes only short frames', async () => {
    const socket = await RelaySocket.open(app.url, clientPath(session.computerId), ada.key);
    socket.socket.send(`{"jsonrpc":"2.0","id":1,"method":"session.follow","params":{"x":"${'x'.repeat(64 * 1024)}"}}`);
    expect((await socket.untilClosed()).code).toBe(1009);
  });

  it.each(['hello', 'turn.renew', 'message.put', 'turn.end', 'usage.report'])('has no method %s', async (method) => {
    const socket = await RelaySocket.open(app.url, clientPath(session.computerId), ada.key);
    expect((await socket.refusal(method, {})).code).toBe(UNKNOWN_METHOD);
    await socket.end();
  });
});
