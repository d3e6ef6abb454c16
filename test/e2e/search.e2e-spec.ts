import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import {
  givenMessage,
  givenSession,
  type GivenSession,
  givenSharedComputer,
  SESSIONS,
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
  computerId = await givenSharedComputer(app, org.owner);
});
beforeEach(async () => {
  ada = await app.given.user(org);
  session = await givenSession(app, ada, computerId);
});
afterAll(() => app.stop());

interface Hit {
  messageId: string;
  snippet: string;
}

const search = (q: string, parameters = '', by = ada) =>
  app.as(by).get(`${SESSIONS}/search?q=${encodeURIComponent(q)}${parameters}`);

async function found(q: string, by = ada): Promise<string[]> {
  const { body } = await search(q, '', by);
  return body.results.map(({ messageId }: Hit) => messageId);
}

describe('a search', () => {
  it('shows the message, its session and where the words occur', async () => {
    const messageId = await givenMessage(app, session, 'Fix the flaky login test');
    const { status, body } = await search('login flaky');
    expect([status, body]).toEqual([
      200,
      {
        results: [
          {
            sessionId: session.id,
            messageId,
            title: 'Fix the flaky login test',
            role: 'user',
            createdAt: clock.now().getTime(),
            snippet: expect.stringContaining('**flaky** **login** test'),
          },
        ],
        pagination: { hasMore: false },
      },
    ]);
  });

  it('shows no title where there is none', async () => {
    await givenMessage(app, session, 'login');
    await query(app.database.url, `UPDATE sessions SET title = NULL WHERE id = $1`, [session.id]);
    expect((await search('login')).body.results[0]).not.toHaveProperty('title');
  });

  it('shows a part of a long message', async () => {
    await givenMessage(app, session, `${'before '.repeat(1000)} needle ${'after '.repeat(1000)}`);
    const { snippet } = (await search('needle')).body.results[0];
    expect([snippet.includes('**needle**'), snippet.length < 1000]).toEqual([true, true]);
  });

  it('finds the newest first, over all own sessions', async () => {
    const second = await givenSession(app, ada, computerId);
    const ids: string[] = [];
    for (const where of [session, second, session]) {
      ids.unshift(await givenMessage(app, where, 'needle'));
      clock.advance(1);
    }
    expect(await found('needle')).toEqual(ids);
  });

  it.each<[string, () => Promise<GivenUser>]>([
    ['another member', () => app.given.user(org)],
    ['a manager', () => app.given.user(org, { role: Role.Manager })],
    ['the owner', () => Promise.resolve(org.owner)],
    ['another organization', async () => (await app.given.organization()).owner],
  ])('by %s finds nothing of one’s messages', async (_who, stranger) => {
    await givenMessage(app, session, 'needle');
    expect(await found('needle', await stranger())).toEqual([]);
  });

  it('finds nothing of a deleted session', async () => {
    await givenMessage(app, session, 'needle');
    await app.as(ada).delete(session.path);
    expect(await found('needle')).toEqual([]);
  });

  it('sees the beginning of a very long message', async () => {
    const id = await givenMessage(app, session, `needle ${'x'.repeat(999_000)}`);
    expect(await found('needle')).toEqual([id]);
  });
});

describe('the words of a search', () => {
  const textOf = new Map<string, string>();
  const texts = [
    'red green blue',
    'green red',
    'blue',
    'Grüße aus Köln',
    '日本語 テスト',
    'src/login.ts user@example.com',
  ];
  beforeEach(async () => {
    for (const text of texts) textOf.set(await givenMessage(app, session, text), text);
  });

  it.each([
    ['red green', ['green red', 'red green blue']],
    ['RED', ['green red', 'red green blue']],
    ['"red green"', ['red green blue']],
    ['red or blue', ['blue', 'green red', 'red green blue']],
    ['red OR blue', ['blue', 'green red', 'red green blue']],
    ['green -blue', ['green red']],
    ['red red', ['green red', 'red green blue']],
    ['gre', []],
    ['yellow', []],
    ['grüße', ['Grüße aus Köln']],
    ['日本語', ['日本語 テスト']],
    ['user@example.com', ['src/login.ts user@example.com']],
  ])('%s', async (q, expected) => {
    expect((await found(q)).map((id) => textOf.get(id))).toEqual(expected);
  });

  it.each(['!', '"', '""', '&|!()', '***', '- -', '…', ' ', '\t', ':*', "''"])(
    'that are only "%s" find nothing',
    async (q) => {
      const { status, body } = await search(q);
      expect([status, body]).toEqual([200, { results: [], pagination: { hasMore: false } }]);
    },
  );

  it.each([
    "'; DROP TABLE messages; --",
    "' OR ''='",
    '\\',
    "\\'",
    '\\"',
    '%',
    '_',
    '%_%',
    '$1',
    '${x}',
    'a & b | !c',
    '(((',
    'red:*',
    'red <-> green',
    '"red green',
    '-"red green"',
    'or',
    'or or or',
    '-',
    '-red',
    '<b>**',
    '\u2028',
    '👩‍👩‍👧',
    'x'.repeat(200),
    '- '.repeat(20),
    '"'.repeat(200),
    'a or '.repeat(40),
  ])('may be anything: %s', async (q) => {
    expect((await search(q)).status).toBe(200);
  });

  it.each(['- '.repeat(100), '-'.repeat(200)])('may be anything: %s', async (q) => {
    expect((await search(q)).status).toBeLessThan(500);
  });

  it.each([
    ['missing', `${SESSIONS}/search`],
    ['empty', `${SESSIONS}/search?q=`],
    ['201 characters long', `${SESSIONS}/search?q=${'x'.repeat(201)}`],
    ['201 code points long', `${SESSIONS}/search?q=${encodeURIComponent('👩'.repeat(201))}`],
    ['given twice', `${SESSIONS}/search?q=a&q=b`],
    ['a list', `${SESSIONS}/search?q[]=a`],
    ['a NUL', `${SESSIONS}/search?q=a%00`],
    ['no UTF-8', `${SESSIONS}/search?q=%ff`],
    ['half a character', `${SESSIONS}/search?q=%ed%a0%80`],
  ])('cannot be %s', async (_what, path) => {
    expect((await app.as(ada).get(path)).status).toBe(400);
  });

  it.each([
    ['one character', 'x'],
    ['200 characters', 'x'.repeat(200)],
    ['200 code points', '👩'.repeat(200)],
  ])('can be %s', async (_what, q) => {
    expect((await search(q)).status).toBe(200);
  });
});

describe('the pages of a search', () => {
  it.each([1, 2, 3, 5])('show each message once, %d at a time, while more are posted', async (limit) => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      clock.advance(i % 2); // some of them in the same millisecond
      ids.unshift(await givenMessage(app, session, `needle ${i}`));
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await search('needle', `&limit=${limit}${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.results.map(({ messageId }: Hit) => messageId));
      cursor = body.pagination.nextCursor ?? '';
      clock.advance(1);
      await givenMessage(app, session, 'needle');
    } while (cursor && seen.length < 50);
    expect(seen).toEqual(ids);
  });

  it('belong to their words', async () => {
    await givenMessage(app, session, 'needle hay');
    await givenMessage(app, session, 'needle hay');
    const cursor = (await search('needle', '&limit=1')).body.pagination.nextCursor;
    expect((await search('hay', `&cursor=${cursor}`)).status).toBe(400);
    expect((await search('needle', `&cursor=${cursor}`)).status).toBe(200);
  });
});
