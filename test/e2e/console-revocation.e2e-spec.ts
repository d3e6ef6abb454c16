import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { EventReader } from '../support/event-reader.js';
import { givenSession } from '../support/given-session.js';
import { clientPath } from '../support/relay-client.js';
import { RelaySocket } from '../support/relay-socket.js';
import { TestApp } from '../support/test-app.js';
import { TestBrowser } from '../support/test-browser.js';
import { statusWithin } from '../support/within.js';

/** What the service promises: a change holds on every replica after this time. */
const PROMISE_MS = 1_000;
const users = '/api/v0/organization/users';
let first: TestApp;
let second: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  first = await TestApp.start();
  second = await TestApp.start({ database: first.database });
  org = await first.given.organization();
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

/** A member with a page of the console open at the second replica, which has seen them often. */
interface OpenPage {
  readonly user: GivenUser;
  readonly keyId: string;
  readonly browser: TestBrowser;
  readonly stream: EventReader;
  readonly socket: RelaySocket;
}

async function openPage(): Promise<OpenPage> {
  const user = await first.given.user(org);
  const session = await givenSession(first, user);
  const browser = await TestBrowser.signedIn(second, user);
  for (let i = 0; i < 3; i++) await browser.get('/api/v0/me');
  const { body } = await first.as(user).get('/api/v0/api-keys');
  const headers = { 'Sec-Fetch-Site': 'same-origin' };
  const stream = await EventReader.open(second, session, { cookie: browser.cookieHeader, headers });
  const socket = await RelaySocket.open(second.url, clientPath(session.computerId), null, {
    headers: { Cookie: browser.cookieHeader, Origin: second.url },
  });
  return { user, keyId: body.apiKeys[0].id, browser, stream, socket };
}

interface Change {
  readonly what: string;
  readonly expected: number;
  readonly apply: (page: OpenPage) => Promise<{ status: number }>;
}

const changes: Change[] = [
  {
    what: 'the deactivation of the user',
    expected: 401,
    apply: ({ user }) => first.as(org.owner).delete(`${users}/${user.id}`),
  },
  {
    what: 'another role of the user',
    expected: 403,
    apply: ({ user }) => first.as(org.owner).patch(`${users}/${user.id}`, { role: Role.Guest }),
  },
  {
    what: 'the revocation of the key behind it',
    expected: 401,
    apply: ({ keyId }) => first.as(org.owner).delete(`/api/v0/api-keys/${keyId}`),
  },
  {
    what: 'the end of the session, from elsewhere',
    expected: 401,
    apply: ({ user, browser }) => first.as(user).delete(`/api/v0/me/sessions/${browser.sessionId}`),
  },
  {
    what: 'the end of all sessions, from elsewhere',
    expected: 401,
    apply: ({ user }) => first.as(user).delete('/api/v0/me/sessions'),
  },
  {
    what: 'signing out in another tab',
    expected: 401,
    apply: ({ browser }) => new TestBrowser(first).post('/auth/sign-out', undefined, { Cookie: browser.cookieHeader }),
  },
];

describe.each(changes)('in an open page, $what', ({ expected, apply }) => {
  let page: OpenPage;
  let hasStreamEnded: boolean;
  let status: number;

  beforeAll(async () => {
    page = await openPage();
    const { status: done } = await apply(page);
    if (done >= 300) throw new Error(`The change was refused: ${done}`);
    [status, hasStreamEnded] = await Promise.all([
      statusWithin(PROMISE_MS, expected, () => page.browser.get('/api/v0/api-keys')),
      page.stream.end(PROMISE_MS + 500),
    ]);
    await page.socket.untilClosed(PROMISE_MS + 500);
  });

  it('holds within a second', () => {
    expect(status).toBe(expected);
  });

  it('closes its streams and sockets', () => {
    expect(hasStreamEnded).toBe(true);
    expect(page.socket.closed?.reason).toBe('The credential was revoked or has changed.');
  });
});

it('the end of one session leaves the others of the user alone', async () => {
  const page = await openPage();
  const other = await TestBrowser.signedIn(first, page.user);
  await other.post('/auth/sign-out');
  expect((await page.browser.get('/api/v0/me')).status).toBe(200);
  expect(page.socket.closed).toBeNull();
  page.stream.close();
  await page.socket.end();
});

it('a session does not come back with the reactivation of its user', async () => {
  const user = await first.given.user(org);
  const browser = await TestBrowser.signedIn(first, user);
  await first.as(org.owner).delete(`${users}/${user.id}`);
  await first.as(org.owner).patch(`${users}/${user.id}`, { state: 'active' });
  expect((await browser.get('/api/v0/me')).status).toBe(401);
});

it('a sign-in that meets a deactivation or a revocation leaves no session behind', async () => {
  for (const change of ['user', 'key'] as const) {
    const user = await first.given.user(org);
    const { body } = await first.as(user).get('/api/v0/api-keys');
    const path = change === 'user' ? `${users}/${user.id}` : `/api/v0/api-keys/${body.apiKeys[0].id}`;
    const browsers = Array.from({ length: 4 }, () => new TestBrowser(second));
    const outcomes = await Promise.all([
      ...browsers.map((browser) => browser.signIn({ apiKey: user.key })),
      first.as(org.owner).delete(path),
    ]);
    expect(outcomes.map(({ status }) => status).filter((status) => ![201, 204, 401].includes(status))).toEqual([]);
    for (const browser of browsers) {
      expect(await statusWithin(PROMISE_MS, 401, () => browser.get('/api/v0/me'))).toBe(401);
    }
  }
});
