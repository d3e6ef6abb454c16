import { randomUUID } from 'node:crypto';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import {
  givenComputer,
  givenRunningTurn,
  givenSession,
  type GivenSession,
  storedSession,
} from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let computerId: string;
let session: GivenSession;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  org = await app.given.organization();
  ada = await app.given.user(org);
  computerId = await givenComputer(app, ada);
});
beforeEach(async () => {
  session = await givenSession(app, ada, computerId);
});
afterAll(() => app.stop());

const post = (body: object, headers?: Record<string, string>) =>
  app.as(ada).post(`${session.path}/messages`, body, headers);
const read = async () => (await app.as(ada).get(session.path)).body;
const stored = () => storedSession(app, session);

describe('posting a message', () => {
  it('answers with its id and the status of the session', async () => {
    const { status, body } = await post({ text: 'hello' });
    expect([status, body]).toEqual([200, { messageId: expect.stringMatching(/^[0-9a-f-]{14}7/), status: 'pending' }]);
  });

  it('stores a user message with one block of text', async () => {
    const { body } = await post({ text: ' Grüße,\n\t👩 ' });
    const message = await app.as(ada).get(`${session.path}/messages/${body.messageId}`);
    expect(message.body).toEqual({
      id: body.messageId,
      role: 'user',
      content: [{ type: 'text', text: ' Grüße,\n\t👩 ', id: expect.any(String) }],
      createdAt: clock.now().getTime(),
      updatedAt: clock.now().getTime(),
    });
  });

  it('is seen in the session at once', async () => {
    clock.advance(1000);
    await post({ text: 'hello' });
    const shown = await read();
    expect(shown).toMatchObject({ status: 'pending', messageCount: 1, updatedAt: clock.now().getTime() });
    expect(shown).not.toHaveProperty('completedAt');
  });

  it('a second time queues behind the first', async () => {
    await post({ text: 'one' });
    const { body } = await post({ text: 'two' });
    expect([body.status, (await read()).messageCount]).toEqual(['pending', 2]);
    expect((await stored()).turns).toEqual(['queued', 'queued']);
  });

  it('while a turn runs leaves the session running', async () => {
    await post({ text: 'one' });
    await givenRunningTurn(app, session);
    expect((await post({ text: 'two' })).body.status).toBe('running');
    expect((await stored()).turns).toEqual(['running', 'queued']);
  });

  it('twenty times at once counts each and numbers the events without a gap', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => post({ text: `${i}` })));
    expect((await read()).messageCount).toBe(20);
    expect(await stored()).toMatchObject({ messages: 20, events: 21, eventSeq: 21 });
  });

  it('of a million characters is possible', async () => {
    const text = Array.from({ length: 250_000 }, (_, i) => (i % 46656).toString(36).padStart(3, '0')).join(' ');
    const { status } = await post({ text: `${text}.` });
    expect(status).toBe(200);
  });

  it.each([
    ['of a million and one characters', { text: 'x'.repeat(1_000_001) }, 'text'],
    ['that is empty', { text: '' }, 'text'],
    ['without a text', {}, 'text'],
    ['with a text that is a number', { text: 5 }, 'text'],
    ['with a role', { text: 'x', role: 'system' }, 'role'],
    ['with an id', { text: 'x', id: randomUUID() }, 'id'],
    ['with images that are no list', { text: 'x', images: {} }, 'images'],
    ['with files that are null', { text: 'x', files: null }, 'files'],
    ['with a computer that is null', { text: 'x', computerId: null }, 'computerId'],
  ])('%s is 400 and leaves no trace', async (_what, body, field) => {
    const answer = await post(body);
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
    expect(await stored()).toEqual({ messages: 0, turns: [], events: 0, eventSeq: 0 });
  });

  it('that fails at the last statement leaves no trace', async () => {
    await query(app.database.url, `INSERT INTO session_events VALUES ($1, $2, 1, 'x', NULL, NULL, now())`, [
      org.id,
      session.id,
    ]);
    expect((await post({ text: 'hello' })).status).toBeGreaterThanOrEqual(400);
    expect(await stored()).toEqual({ messages: 0, turns: [], events: 1, eventSeq: 0 });
    expect(await read()).toMatchObject({ status: 'idle', messageCount: 0 });
  });

  it('twice with one Idempotency-Key stores one', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await post({ text: 'hello' }, headers);
    const second = await post({ text: 'hello' }, headers);
    expect([second.body, (await stored()).messages]).toEqual([first.body, 1]);
  });

  it('with the Idempotency-Key of another session stores one in each', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const other = await givenSession(app, ada, computerId);
    const first = await app.as(ada).post(`${other.path}/messages`, { text: 'hello' }, headers);
    const second = await post({ text: 'hello' }, headers);
    expect([second.status, second.body.messageId === first.body.messageId]).toEqual([200, false]);
  });
});

describe('the title', () => {
  it.each([
    ['is the first line', 'Fix the test\nplease', 'Fix the test'],
    ['is the first line before CRLF', 'Fix the test\r\nplease', 'Fix the test'],
    ['has no blanks around it', '  Fix the test \t\nplease', 'Fix the test'],
    ['is the first line with anything in it', '\n \n\r\nFix the test\nplease', 'Fix the test'],
    ['has at most 80 code points', '👩'.repeat(81), '👩'.repeat(80)],
    ['has 80 code points if there are 80', '👩'.repeat(80), '👩'.repeat(80)],
    ['is missing when there is nothing to show', ' \n ', undefined],
  ])('%s', async (_what, text, title) => {
    await post({ text });
    expect((await read()).title).toBe(title);
  });

  it('stays when another message comes', async () => {
    await post({ text: 'one' });
    await post({ text: 'two' });
    expect((await read()).title).toBe('one');
  });

  it('comes from the first message that has anything to show', async () => {
    await post({ text: ' ' });
    await post({ text: 'two' });
    expect((await read()).title).toBe('two');
  });
});

describe('posting with a computer', () => {
  it('moves an idle session there, and the turn with it', async () => {
    const other = await givenComputer(app, ada);
    expect((await post({ text: 'x', computerId: other.toUpperCase() })).status).toBe(200);
    expect((await read()).computerId).toBe(other);
    const sql = `SELECT computer_id AS on FROM turns WHERE session_id = $1`;
    expect(await query(app.database.url, sql, [session.id])).toEqual([{ on: other }]);
  });

  it('is 409 for another one while a message waits', async () => {
    await post({ text: 'one' });
    const { status } = await post({ text: 'two', computerId: await givenComputer(app, ada) });
    expect([status, (await read()).messageCount, (await read()).computerId]).toEqual([409, 1, computerId]);
  });

  it('is possible for its own one while a message waits', async () => {
    await post({ text: 'one' });
    expect((await post({ text: 'two', computerId })).status).toBe(200);
  });

  it.each([
    ['does not exist', () => Promise.resolve(randomUUID())],
    ['is no id', () => Promise.resolve('laptop')],
    ['is of another organization', async () => givenComputer(app, (await app.given.organization()).owner)],
  ])('is 404 for one that %s', async (_what, other) => {
    const { status } = await post({ text: 'x', computerId: await other() });
    expect([status, (await stored()).messages]).toEqual([404, 0]);
  });

  it('is 409 when its own one was deleted, until another one is named', async () => {
    session = await givenSession(app, ada);
    await app.as(ada).delete(`/api/v0/computers/${session.computerId}`);
    expect((await post({ text: 'x' })).status).toBe(409);
    expect((await post({ text: 'x', computerId })).status).toBe(200);
  });
});
