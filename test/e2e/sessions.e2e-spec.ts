import { randomUUID } from 'node:crypto';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import {
  givenComputer,
  givenSharedComputer,
  givenMessage,
  givenRunningTurn,
  givenSession,
  type GivenSession,
  SESSIONS,
} from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
const NO_TOKENS = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0, thinkingTokens: 0 };
let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let computerId: string;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  org = await app.given.organization();
  computerId = await givenSharedComputer(app, org.owner);
});
beforeEach(async () => {
  ada = await app.given.user(org);
});
afterAll(() => app.stop());

const create = (body: object = { computerId }) => app.as(ada).post(SESSIONS, body);

/** All ids of the list, page by page; `between` happens after each page. */
async function walk(limit: number, parameters = '', between?: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = [];
  let cursor = '';
  do {
    const { body } = await app.as(ada).get(`${SESSIONS}?limit=${limit}${parameters}${cursor && `&cursor=${cursor}`}`);
    ids.push(...body.sessions.map((session: { sessionId: string }) => session.sessionId));
    cursor = body.pagination.nextCursor ?? '';
    if (cursor) await between?.();
  } while (cursor && ids.length < 100);
  return ids;
}

async function createSeveral(count: number, on = computerId): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await create({ computerId: on })).body.sessionId);
  return ids;
}

describe('creating a session', () => {
  it('shows an idle session without messages', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      sessionId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      status: 'idle',
      messageCount: 0,
      createdAt: clock.now().getTime(),
      updatedAt: clock.now().getTime(),
      computerId,
      sessionSettings: { tokenUsage: NO_TOKENS },
    });
  });

  it('is shown the same when it is read', async () => {
    const { body } = await create();
    expect((await app.as(ada).get(`${SESSIONS}/${body.sessionId}`)).body).toEqual(body);
  });

  it('finds the computer whatever the spelling of its id', async () => {
    const { body } = await create({ computerId: computerId.toUpperCase() });
    expect(body.computerId).toBe(computerId);
  });

  it.each([
    ['an unknown computer', () => randomUUID()],
    ['a computer that is no id', () => 'laptop'],
    ['a computer with the word null', () => 'null'],
  ])('on %s is 404', async (_what, id) => {
    expect((await create({ computerId: id() })).status).toBe(404);
  });

  it('on a computer of another organization is 404, as on one that does not exist', async () => {
    const other = await app.given.organization();
    const foreign = await givenComputer(app, other.owner);
    const random = randomUUID();
    const [a, b] = [await create({ computerId: foreign }), await create({ computerId: random })];
    expect([a.status, a.body.detail.replace(foreign, random)]).toEqual([404, b.body.detail]);
  });

  it.each([
    ['without a computer', {}, 'computerId'],
    ['with a computer that is null', { computerId: null }, 'computerId'],
    ['with an empty computer', { computerId: '' }, 'computerId'],
    ['with a computer that is a number', { computerId: 5 }, 'computerId'],
    ['with a computer id of 201 characters', { computerId: 'x'.repeat(201) }, 'computerId'],
    ['with settings that are null', { sessionSettings: null }, 'sessionSettings'],
    ['with settings that are a list', { sessionSettings: [] }, 'sessionSettings'],
    ['with an id', { sessionId: randomUUID() }, 'sessionId'],
    ['with an organization', { orgId: randomUUID() }, 'orgId'],
    ['with a user', { userId: randomUUID() }, 'userId'],
    ['with a status', { status: 'running' }, 'status'],
    ['with a number of messages', { messageCount: 5 }, 'messageCount'],
    ['with a time', { createdAt: 5 }, 'createdAt'],
    ['with a title', { title: 'x' }, 'title'],
    ['with token usage', { sessionSettings: { tokenUsage: NO_TOKENS } }, 'sessionSettings.tokenUsage'],
  ])('%s is 400 and creates nothing', async (_what, change, field) => {
    const base = 'computerId' in change || field === 'computerId' ? {} : { computerId };
    const { status, body } = await create({ ...base, ...change });
    expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
    expect(await walk(100)).toEqual([]);
  });

  it('twice with one Idempotency-Key creates one and answers the same', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await app.as(ada).post(SESSIONS, { computerId }, headers);
    const second = await app.as(ada).post(SESSIONS, { computerId }, headers);
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(await walk(100)).toEqual([first.body.sessionId]);
  });

  it('with the Idempotency-Key of another body is 409', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    await app.as(ada).post(SESSIONS, { computerId }, headers);
    const second = await app.as(ada).post(SESSIONS, { computerId, sessionSettings: { model: 'a' } }, headers);
    expect(second.status).toBe(409);
  });
});

describe('the list of sessions', () => {
  it.each([1, 2, 3, 4, 5, 100])('shows each once, newest first, %d at a time', async (limit) => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      clock.advance(i % 2); // some of them in the same millisecond
      ids.unshift(...(await createSeveral(1)));
    }
    expect(await walk(limit)).toEqual(ids);
  });

  it.each([1, 2, 3])('repeats and skips nothing while sessions are added, %d at a time', async (limit) => {
    const ids = (await createSeveral(5)).reverse();
    expect(await walk(limit, '', () => createSeveral(1))).toEqual(ids);
  });

  it('keeps its order when an old session gets a message', async () => {
    const [oldest = '', newest = ''] = await createSeveral(2);
    clock.advance(1);
    await app.as(ada).post(`${SESSIONS}/${oldest}/messages`, { text: 'hello' });
    expect(await walk(1)).toEqual([newest, oldest]);
  });

  it('has the same entries as the sessions read one by one', async () => {
    const { body: session } = await create({ computerId, sessionSettings: { model: 'a' } });
    const { body } = await app.as(ada).get(SESSIONS);
    expect(body).toEqual({ sessions: [session], pagination: { hasMore: false } });
  });

  it('shows only own sessions', async () => {
    await createSeveral(1);
    const { body } = await app.as(await app.given.user(org)).get(SESSIONS);
    expect(body.sessions).toEqual([]);
  });

  it('can be reduced to one computer, page by page', async () => {
    const other = await givenComputer(app, ada);
    const ids = await createSeveral(2, other);
    await createSeveral(2);
    ids.push(...(await createSeveral(1, other)));
    expect(await walk(1, `&computerId=${other}`)).toEqual(ids.reverse());
  });

  it('can be reduced by status, title and time of creation', async () => {
    const from = clock.now().toISOString();
    const [first = ''] = await createSeveral(1);
    clock.advance(1_000);
    const to = clock.now().toISOString();
    const [second = ''] = await createSeveral(1);
    await app.as(ada).post(`${SESSIONS}/${second}/messages`, { text: 'Fix 100% of the LOGIN tests' });
    expect(await walk(1, '&status=pending')).toEqual([second]);
    expect(await walk(1, '&text=login')).toEqual([second]);
    expect(await walk(1, '&text=100%25%20OF')).toEqual([second]);
    expect(await walk(1, '&text=l_gin')).toEqual([]);
    expect(await walk(1, `&from=${from}&to=${to}`)).toEqual([first]);
    expect(await walk(1, `&from=${to}`)).toEqual([second]);
  });

  it('with an end before its beginning is 400', async () => {
    const query = '?from=2026-11-15T00:00:00Z&to=2026-11-14T00:00:00Z';
    const { status, body } = await app.as(ada).get(SESSIONS + query);
    expect([status, body.errors]).toEqual([400, [{ field: 'to', message: 'must be later than from' }]]);
  });

  it.each([
    ['that does not exist', randomUUID()],
    ['that is no id', 'laptop'],
    ['with a quote', "'%20OR%20''='"],
  ])('of a computer %s is empty', async (_what, id) => {
    await createSeveral(1);
    const { status, body } = await app.as(ada).get(`${SESSIONS}?computerId=${id}`);
    expect([status, body]).toEqual([200, { sessions: [], pagination: { hasMore: false } }]);
  });

  it('refuses a cursor of the list of another computer', async () => {
    await createSeveral(2);
    const { body } = await app.as(ada).get(`${SESSIONS}?limit=1`);
    const cursor = body.pagination.nextCursor;
    const { status } = await app.as(ada).get(`${SESSIONS}?computerId=${computerId}&cursor=${cursor}`);
    expect(status).toBe(400);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=1&limit=2',
    'computerId=',
    'state=idle',
    'status=done',
    'text=',
    'from=today',
    'computerId[]=x',
  ])('with ?%s is 400', async (parameters) => {
    expect((await app.as(ada).get(`${SESSIONS}?${parameters}`)).status).toBe(400);
  });
});

describe('a session', () => {
  let session: GivenSession;
  beforeEach(async () => {
    session = await givenSession(app, ada, computerId);
  });

  it('is found with the computer it is on, in any spelling', async () => {
    const { status } = await app.as(ada).get(`${session.path}?computerId=${computerId.toUpperCase()}`);
    expect(status).toBe(200);
  });

  it.each([
    ['another computer', () => givenComputer(app, ada)],
    ['an unknown computer', () => Promise.resolve(randomUUID())],
    ['a computer that is no id', () => Promise.resolve('laptop')],
  ])('is 404 with %s', async (_what, other) => {
    const { status, body } = await app.as(ada).get(`${session.path}?computerId=${await other()}`);
    expect([status, body.detail]).toEqual([404, `There is no session "${session.id}".`]);
  });

  it('shows the sums of its tokens, up to the largest whole number', async () => {
    await query(
      app.database.url,
      `UPDATE sessions SET input_tokens = 1, output_tokens = 2, cache_creation_tokens = 3, cache_read_tokens = 4,
              thinking_tokens = 9007199254740991 WHERE id = $1`,
      [session.id],
    );
    const { body } = await app.as(ada).get(session.path);
    expect(body.sessionSettings.tokenUsage).toEqual({
      inputTokens: 1,
      outputTokens: 2,
      cacheCreationTokens: 3,
      cacheReadTokens: 4,
      thinkingTokens: Number.MAX_SAFE_INTEGER,
    });
  });

  it('is gone with its messages, turns and events once it is deleted', async () => {
    const messageId = await givenMessage(app, session, 'hello');
    expect((await app.as(ada).delete(session.path)).status).toBe(204);
    const gone = [session.path, `${session.path}/messages`, `${session.path}/messages/${messageId}`];
    for (const path of gone) expect((await app.as(ada).get(path)).status).toBe(404);
    const sql = `SELECT 1 FROM messages WHERE session_id = $1 UNION ALL SELECT 1 FROM turns WHERE session_id = $1
                 UNION ALL SELECT 1 FROM session_events WHERE session_id = $1`;
    expect(await query(app.database.url, sql, [session.id])).toEqual([]);
  });

  it('is gone from the list once it is deleted', async () => {
    await app.as(ada).delete(session.path);
    expect(await walk(100)).toEqual([]);
  });

  it('is 404 when it is deleted a second time', async () => {
    await app.as(ada).delete(session.path);
    expect((await app.as(ada).delete(session.path)).status).toBe(404);
  });

  it('cannot be deleted while a turn is running', async () => {
    await givenMessage(app, session, 'hello');
    await givenRunningTurn(app, session);
    expect((await app.as(ada).delete(session.path)).status).toBe(409);
    expect((await app.as(ada).get(session.path)).status).toBe(200);
  });

  it('can be deleted while a message waits', async () => {
    await givenMessage(app, session, 'hello');
    expect((await app.as(ada).delete(session.path)).status).toBe(204);
  });
});
