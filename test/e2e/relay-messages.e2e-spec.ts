import { randomUUID } from 'node:crypto';
import { MAX_MESSAGE_BYTES, type RelayMessage, type TurnStart } from '../../src/protocol/relay-protocol.js';
import { EventReader } from '../support/event-reader.js';
import type { GivenUser } from '../support/given.js';
import { storedEvents } from '../support/given-events.js';
import { givenComputer, givenMessage, givenSession, type GivenSession } from '../support/given-session.js';
import { refOf, RelayAgent, says, toolSays } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';

const STALE = -32010;
const INVALID = -32602;

let app: TestApp;
let ada: GivenUser;
let session: GivenSession;
let agent: RelayAgent;
let turn: TurnStart;

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  ada = await app.given.user(await app.given.organization());
  session = await givenSession(app, ada);
  agent = await RelayAgent.connect(app.url, ada.key, session.computerId);
  await givenMessage(app, session, 'Hello');
  turn = await agent.turn();
});
afterEach(() => agent.end());
afterAll(() => app.stop());

const read = async () => (await app.as(ada).get(session.path)).body;
const get = async (id: string) => (await app.as(ada).get(`${session.path}/messages/${id}`)).body;
/** Role and text of each message, oldest first. */
const conversation = async () => {
  const { body } = await app.as(ada).get(`${session.path}/messages?limit=100`);
  const messages = body.messages as { role: string; content: { text?: string; content?: string }[] }[];
  return messages.reverse().map(({ role, content }) => [role, content[0]?.text ?? content[0]?.content]);
};

describe('a message of an agent', () => {
  it('is there at once, behind those before it', async () => {
    await agent.put(turn, says('one'), toolSays('two'));
    await agent.put(turn, says('three'));
    expect(await conversation()).toEqual([
      ['user', 'Hello'],
      ['assistant', 'one'],
      ['tool', 'two'],
      ['assistant', 'three'],
    ]);
    expect(await read()).toMatchObject({ messageCount: 4, status: 'running' });
  });

  it('is stored once when it is sent twice', async () => {
    const message = says('one');
    await agent.put(turn, message);
    const stored = await get(message.id);
    await agent.put(turn, message);
    expect(await get(message.id)).toEqual(stored);
    expect(await read()).toMatchObject({ messageCount: 2 });
  });

  it('replaces what was sent before under its id, and keeps its place', async () => {
    const first = says('one');
    await agent.put(turn, first, says('two'));
    await agent.put(turn, says('one, and more', first.id));
    expect(await conversation()).toEqual([
      ['user', 'Hello'],
      ['assistant', 'one, and more'],
      ['assistant', 'two'],
    ]);
    const { createdAt, updatedAt } = await get(first.id);
    expect(updatedAt).toBeGreaterThanOrEqual(createdAt);
    expect(await read()).toMatchObject({ messageCount: 3 });
  });

  it('that is sent twice in one request is stored as it was sent last', async () => {
    const id = randomUUID();
    await agent.put(turn, says('one', id), says('two'), says('one, and more', id));
    expect((await conversation()).slice(1)).toEqual([
      ['assistant', 'one, and more'],
      ['assistant', 'two'],
    ]);
  });

  it('comes back with everything that was said about it', async () => {
    const parent = says('parent');
    const details = { isError: true, visibility: 'user_only' as const, parentId: parent.id };
    const message: RelayMessage = { ...says('child'), ...details };
    await agent.put(turn, parent, message);
    expect(await get(message.id)).toMatchObject({ id: message.id, role: 'assistant', ...details });
  });

  it('comes back with every kind of block as it was sent', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: '' },
      { type: 'text', text: 'Let me see. \u0085 𝕏' },
      { type: 'tool_use', id: 'call-1', name: 'Read', input: { path: 'a.ts', deep: [{ n: 1.5e-7, z: -0 }] } },
    ];
    const message: RelayMessage = { id: randomUUID(), role: 'assistant', content };
    await agent.put(turn, message);
    expect((await get(message.id)).content).toEqual(JSON.parse(JSON.stringify(content)));
  });

  it('is found by the search, as it is now', async () => {
    const message = says('zebra');
    await agent.put(turn, message);
    await agent.put(turn, says('giraffe', message.id));
    const hits = async (q: string) => (await app.as(ada).get(`/api/v0/sessions/search?q=${q}`)).body.results.length;
    expect([await hits('zebra'), await hits('giraffe')]).toEqual([0, 1]);
  });

  it('counts once as usage, however often it is sent', async () => {
    const message = says('one');
    await agent.put(turn, message);
    await agent.put(turn, message);
    await agent.put(turn, says('one, and more', message.id), toolSays('no message of an assistant'));
    await agent.endTurn(turn, 'completed', says('the end of one', message.id));
    const counted = (await storedEvents(app, ada.orgId)).filter(({ type }) => type === 'assistant_message');
    expect(counted).toMatchObject([{ userId: ada.id, sessionKey: session.id }]);
  });

  it('can have four mebibytes', async () => {
    const envelope = Buffer.byteLength(JSON.stringify(says('').content));
    const message = says('x'.repeat(MAX_MESSAGE_BYTES - envelope));
    await agent.put(turn, message);
    expect((await get(message.id)).content[0].text).toHaveLength(MAX_MESSAGE_BYTES - envelope);
  });

  it.each([
    ['letters', 'x'.repeat(MAX_MESSAGE_BYTES)],
    ['letters of several bytes', '€'.repeat(MAX_MESSAGE_BYTES / 3)],
  ])('cannot have more: %s', async (_, text) => {
    const message = says(text);
    const { code, message: reason } = await agent.putRefusal(turn, says('fine'), message);
    expect([code, reason]).toEqual([INVALID, expect.stringContaining(message.id)]);
    expect(await read()).toMatchObject({ messageCount: 1 });
  });

  it.each([
    ['of no known kind', { type: 'hologram', text: 'x' }, 'messages.0.content.0.type'],
    ['without its text', { type: 'text' }, 'messages.0.content.0.text'],
    ['with input that is no object', { type: 'tool_use', id: 'c', name: 'Read', input: 'x' }, 'content.0.input'],
    ['with an image that has no data', { type: 'image', source: { type: 'base64', mediaType: 'x' } }, 'source.data'],
  ])('cannot have a block %s', async (_, block, field) => {
    const message = { id: randomUUID(), role: 'assistant', content: [block] } as RelayMessage;
    const { code, message: reason } = await agent.putRefusal(turn, message);
    expect([code, reason]).toEqual([INVALID, expect.stringContaining(field)]);
  });

  it('cannot change its role', async () => {
    const message = says('one');
    await agent.put(turn, message);
    const { code, message: reason } = await agent.putRefusal(turn, toolSays('one', message.id));
    expect([code, reason]).toEqual([INVALID, expect.stringContaining('role')]);
  });

  it('cannot take the place of what the user said', async () => {
    expect((await agent.putRefusal(turn, says('I said', turn.messageId))).code).toBe(INVALID);
    expect(await conversation()).toEqual([['user', 'Hello']]);
  });
});

describe('followers of a session', () => {
  it('hear of everything, in order', async () => {
    const one = await givenSession(app, ada, session.computerId);
    const reader = await EventReader.open(app, one);
    const messageId = await givenMessage(app, one, 'Hello');
    const next = await agent.turn(1);
    const message = says('one');
    await agent.put(next, message);
    await agent.put(next, says('two', message.id));
    await agent.endTurn(next, 'completed', toolSays('three'));
    const events = await reader.receive(7);
    expect(events.map(({ event, data }) => [event, data.status ?? data.messageId]).slice(0, 5)).toEqual([
      ['message.created', messageId],
      ['status.changed', 'pending'],
      ['status.changed', 'running'],
      ['message.created', message.id],
      ['message.updated', message.id],
    ]);
    expect(events.slice(5).map(({ event, data }) => data.status ?? event)).toEqual(['message.created', 'idle']);
    reader.close();
  });

  it('hear nothing of a message that is sent again as it was', async () => {
    const message = says('one');
    await agent.put(turn, message);
    const reader = await EventReader.open(app, session);
    await agent.put(turn, message);
    await agent.put(turn, says('two', message.id));
    expect((await reader.receive(1)).map(({ event }) => event)).toEqual(['message.updated']);
    reader.close();
  });
});

describe('appending is refused', () => {
  const expectUnchanged = async () => expect(await read()).toMatchObject({ messageCount: 1, status: 'running' });

  it('to an attempt that is not the current one', async () => {
    expect((await agent.putRefusal({ ...turn, attempt: 2 }, says('one'))).code).toBe(STALE);
    await expectUnchanged();
  });

  it('to a session that does not exist', async () => {
    expect((await agent.putRefusal({ ...turn, sessionId: randomUUID() }, says('one'))).code).toBe(STALE);
  });

  it('to a message that is no turn', async () => {
    expect((await agent.putRefusal({ ...turn, messageId: randomUUID() }, says('one'))).code).toBe(STALE);
    await expectUnchanged();
  });

  it('to a turn of another computer', async () => {
    const other = await RelayAgent.connect(app.url, ada.key, await givenComputer(app, ada));
    expect((await other.putRefusal(turn, says('one'))).code).toBe(STALE);
    expect((await other.relay.refusal('turn.end', { turn: refOf(turn), reason: 'completed' })).code).toBe(STALE);
    expect(await other.renew(turn)).toEqual([refOf(turn)]);
    await expectUnchanged();
    await other.end();
  });

  it('to a turn of another organization', async () => {
    const { owner } = await app.given.organization();
    const other = await RelayAgent.connect(app.url, owner.key, await givenComputer(app, owner));
    expect((await other.putRefusal(turn, says('one'))).code).toBe(STALE);
    await other.abandon(turn);
    await expectUnchanged();
    await other.end();
  });

  it('to a turn that waits', async () => {
    const messageId = await givenMessage(app, session, 'later');
    for (const attempt of [0, 1]) {
      const { code } = await agent.putRefusal({ ...turn, messageId, attempt }, says('one'));
      expect(code).toBe(attempt === 0 ? INVALID : STALE);
    }
  });

  it('to a turn that has ended', async () => {
    await agent.endTurn(turn);
    expect((await agent.putRefusal(turn, says('one'))).code).toBe(STALE);
  });

  it('as a whole when one of several messages is refused', async () => {
    await agent.putRefusal(turn, says('one'), says('two', turn.messageId));
    await expectUnchanged();
  });
});
