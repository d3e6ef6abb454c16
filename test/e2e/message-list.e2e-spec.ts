import { randomUUID } from 'node:crypto';
import type { GivenUser } from '../support/given.js';
import {
  givenComputer,
  givenMessage,
  givenSession,
  type GivenSession,
  givenStoredMessage,
} from '../support/given-session.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let ada: GivenUser;
let computerId: string;
let session: GivenSession;

beforeAll(async () => {
  app = await TestApp.start();
  const org = await app.given.organization();
  ada = await app.given.user(org);
  computerId = await givenComputer(app, ada);
});
beforeEach(async () => {
  session = await givenSession(app, ada, computerId);
});
afterAll(() => app.stop());

async function walk(limit: number, parameters = '', between?: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = [];
  let cursor = '';
  do {
    const url = `${session.path}/messages?limit=${limit}${parameters}${cursor && `&cursor=${cursor}`}`;
    const { body } = await app.as(ada).get(url);
    ids.push(...body.messages.map((message: { id: string }) => message.id));
    cursor = body.pagination.nextCursor ?? '';
    if (cursor) await between?.();
  } while (cursor && ids.length < 100);
  return ids;
}

describe('the list of messages', () => {
  it.each([1, 2, 3, 5, 100])('shows each once, newest first, %d at a time', async (limit) => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift(await givenMessage(app, session, `${i}`));
    expect(await walk(limit)).toEqual(ids);
  });

  it('repeats and skips nothing while messages are added', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.unshift(await givenMessage(app, session, `${i}`));
    expect(await walk(1, '', () => givenMessage(app, session, 'more'))).toEqual(ids);
  });

  it.each(['user', 'assistant', 'tool'])('can be reduced to the role %s, page by page', async (role) => {
    const ids: string[] = [];
    for (const other of ['user', 'assistant', 'tool', 'system', 'user', 'assistant', 'tool']) {
      const id = await givenStoredMessage(app, session, { role: other });
      if (other === role) ids.unshift(id);
    }
    expect(await walk(1, `&role=${role}`)).toEqual(ids);
  });

  it('has system messages too', async () => {
    const id = await givenStoredMessage(app, session, { role: 'system' });
    expect(await walk(10)).toEqual([id]);
  });

  it('has the same entries as the messages read one by one', async () => {
    const id = await givenMessage(app, session, 'hello');
    const { body } = await app.as(ada).get(`${session.path}/messages?computerId=${computerId}`);
    expect(body.messages).toEqual([(await app.as(ada).get(`${session.path}/messages/${id}`)).body]);
  });

  it('is 404 with another computer, and so is each message', async () => {
    const id = await givenMessage(app, session, 'hello');
    for (const path of [`${session.path}/messages`, `${session.path}/messages/${id}`]) {
      expect((await app.as(ada).get(`${path}?computerId=${randomUUID()}`)).status).toBe(404);
    }
  });

  it.each(['role=system', 'role=User', 'role=', 'role=user&role=tool', 'limit=101', 'limit=0', 'q=x'])(
    'with ?%s is 400',
    async (parameters) => {
      expect((await app.as(ada).get(`${session.path}/messages?${parameters}`)).status).toBe(400);
    },
  );

  it.each(['role=user', `computerId=`])('refuses a cursor of the list without %s', async (parameter) => {
    await givenMessage(app, session, 'one');
    await givenMessage(app, session, 'two');
    const { body } = await app.as(ada).get(`${session.path}/messages?limit=1`);
    const filter = parameter === 'computerId=' ? `computerId=${computerId}` : parameter;
    const { status } = await app.as(ada).get(`${session.path}/messages?${filter}&cursor=${body.pagination.nextCursor}`);
    expect(status).toBe(400);
  });
});
