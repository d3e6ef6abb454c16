import { createHash } from 'node:crypto';
import type { ApiClient } from '../support/api-client.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;
let member: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  org = await app.given.organization();
});
beforeEach(async () => {
  member = await app.given.user(org);
});
afterAll(() => app.stop());

interface List {
  readonly path: string;
  readonly entries: 'apiKeys' | 'users';
}

const keyList: List = { path: '/api/v0/api-keys', entries: 'apiKeys' };
const userList: List = { path: '/api/v0/organization/users', entries: 'users' };

/** All ids of a list, page by page; `between` happens after each page. */
async function walk(client: ApiClient, list: List, limit: number, between?: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = [];
  let cursor = '';
  do {
    const { body } = await client.get(`${list.path}?limit=${limit}${cursor && `&cursor=${cursor}`}`);
    ids.push(...body[list.entries].map((entry: { id: string }) => entry.id));
    cursor = body.pagination.nextCursor ?? '';
    if (cursor) await between?.();
  } while (cursor && ids.length < 1000);
  return ids;
}

async function createKeys(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const { body } = await app.as(member).post('/api/v0/api-keys', { name: `key ${i}` });
    ids.push(body.id);
  }
  return ids;
}

async function cursorOf(user: GivenUser, list = keyList): Promise<string> {
  const { body } = await app.as(user).get(`${list.path}?limit=1`);
  return body.pagination.nextCursor;
}

describe('paging through API keys', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 100])('shows each once, newest first, %d at a time', async (limit) => {
    const created = [];
    for (let i = 0; i < 5; i++) {
      created.push(...(await createKeys(1)));
      clock.advance(1);
    }
    const ids = await walk(app.as(member), keyList, limit);
    expect(ids.slice(0, 5)).toEqual(created.reverse());
    expect(ids).toHaveLength(6);
  });

  it.each([1, 2, 3])('repeats and skips nothing while keys are added, %d at a time', async (limit) => {
    await createKeys(5);
    const before = await walk(app.as(member), keyList, 100);
    const ids = await walk(app.as(member), keyList, limit, () => createKeys(1));
    expect(ids).toEqual(before);
  });

  it('goes on where it was when the last key of the page is revoked', async () => {
    const [oldest, middle, newest] = await createKeys(3);
    const first = await app.as(member).get('/api/v0/api-keys?limit=2');
    await app.as(member).delete(`/api/v0/api-keys/${middle}`);
    const next = await app.as(member).get(`/api/v0/api-keys?limit=1&cursor=${first.body.pagination.nextCursor}`);
    expect(first.body.apiKeys.map((key: { id: string }) => key.id)).toEqual([newest, middle]);
    expect(next.body.apiKeys[0].id).toBe(oldest);
  });
});

describe('paging through users', () => {
  beforeEach(async () => {
    org = await app.given.organization();
    member = await app.given.user(org);
  });

  it.each([1, 2, 3, 100])('shows each once, oldest first, %d at a time', async (limit) => {
    const created = [org.owner.id, member.id];
    for (let i = 0; i < 3; i++) created.push((await app.given.user(org)).id);
    expect(await walk(app.as(member), userList, limit)).toEqual(created);
  });

  it('comes to the users that are added meanwhile', async () => {
    const added: string[] = [];
    const ids = await walk(app.as(member), userList, 1, async () => {
      if (added.length < 3) added.push((await app.given.user(org)).id);
    });
    expect(ids).toEqual([org.owner.id, member.id, ...added]);
  });
});

describe('a page', () => {
  it('holds 20 entries unless told otherwise', async () => {
    await createKeys(20);
    const { body } = await app.as(member).get('/api/v0/api-keys');
    expect([body.apiKeys.length, body.pagination.hasMore]).toEqual([20, true]);
  });

  it('has no cursor when it is the last', async () => {
    const { body } = await app.as(member).get('/api/v0/api-keys?limit=1');
    expect(body.pagination).toEqual({ hasMore: false });
  });

  it.each(['0', '101', '-1', '1.5', '1e1', '0x10', '%205', '5%20', '+5', '05', '', 'null', '%D9%A5', '9'.repeat(20)])(
    'cannot have the limit "%s"',
    async (limit) => {
      const { status, body } = await app.as(member).get(`/api/v0/api-keys?limit=${limit}`);
      expect([status, body.errors?.[0]?.field]).toEqual([400, 'limit']);
    },
  );

  it.each(['limit=1&limit=2', 'limit[]=1', 'LIMIT=5', 'cursor=a&cursor=b', 'page=2'])(
    'cannot be asked for with ?%s',
    async (parameters) => {
      const { status } = await app.as(member).get(`/api/v0/api-keys?${parameters}`);
      expect(status).toBe(400);
    },
  );
});

describe('a cursor', () => {
  it('works with another limit', async () => {
    await createKeys(2);
    const { status } = await app.as(member).get(`/api/v0/api-keys?limit=7&cursor=${await cursorOf(member)}`);
    expect(status).toBe(200);
  });

  it('of another user is 400', async () => {
    await createKeys(2);
    const { status } = await app.as(org.owner).get(`/api/v0/api-keys?cursor=${await cursorOf(member)}`);
    expect(status).toBe(400);
  });

  it('of another list is 400', async () => {
    const { status } = await app.as(org.owner).get(`/api/v0/api-keys?cursor=${await cursorOf(org.owner, userList)}`);
    expect(status).toBe(400);
  });

  it.each<[string, (cursor: string) => string]>([
    ['without its last character', (cursor) => cursor.slice(0, -1)],
    ['without its first character', (cursor) => cursor.slice(1)],
    ['without its seal', (cursor) => cursor.split('.')[0] ?? ''],
    ['with an empty seal', (cursor) => `${cursor.split('.')[0]}.`],
    ['with one bit changed', (cursor) => cursor.replace(/^./, (c) => String.fromCharCode(c.charCodeAt(0) ^ 1))],
    ['twice over', (cursor) => cursor + cursor],
    ['with another part', (cursor) => `${cursor}.x`],
    ['that is empty', () => ''],
    ['that is a full stop', () => '.'],
    ['that is base64 of JSON', () => Buffer.from('{"id":1}').toString('base64url')],
    ['of ten thousand characters', () => 'A'.repeat(10_000)],
    ['with a NUL', (cursor) => `${cursor}%00`],
  ])('%s is 400', async (_what, damage) => {
    await createKeys(1);
    const cursor = damage(await cursorOf(member));
    const { status, body } = await app.as(member).get(`/api/v0/api-keys?cursor=${cursor}`);
    expect(status).toBe(400);
    expect(body.apiKeys).toBeUndefined();
  });

  /** The seal is no secret: whoever reads the sources can seal anything. */
  function sealed(content: string): string {
    const position = Buffer.from(content).toString('base64url');
    const scope = JSON.stringify(['api-keys', org.id, member.id, []]);
    const seal = createHash('sha256').update(`${scope}\n${position}`).digest('base64url').slice(0, 16);
    return `${position}.${seal}`;
  }

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a number', '5'],
    ['an empty list', '[]'],
    ['numbers', '[1,2]'],
    ['lists', '[["2026-11-15T08:30:00.000Z"],["01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"]]'],
    ['a day that does not exist', '["2026-02-30T00:00:00.000Z","01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"]'],
    ['an id that is none', '["2026-11-15T08:30:00.000Z","x"]'],
  ])('that is sealed properly around %s is 400', async (_what, content) => {
    const { status } = await app.as(member).get(`/api/v0/api-keys?cursor=${sealed(content)}`);
    expect(status).toBe(400);
  });

  it('that is sealed properly around a position is good: the refusals above are not for their seals', async () => {
    const cursor = sealed('["2026-11-15T08:30:00.000Z","01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"]');
    const { status } = await app.as(member).get(`/api/v0/api-keys?cursor=${cursor}`);
    expect(status).toBe(200);
  });
});
