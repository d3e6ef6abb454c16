import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import type { ApiAnswer } from '../support/api-client.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenMessage, givenSession, type GivenSession, SESSIONS } from '../support/given-session.js';
import { OPERATIONS } from '../support/operations.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

let app: TestApp;
let org: GivenOrganization;
let other: GivenOrganization;
let ada: GivenUser;
let session: GivenSession;
let messageId: string;

beforeAll(async () => {
  app = await TestApp.start();
  org = await app.given.organization();
  other = await app.given.organization();
  ada = await app.given.user(org);
  session = await givenSession(app, ada);
  messageId = await givenMessage(app, session, 'hello');
});
afterAll(() => app.stop());

const BODIES: Record<string, object> = {
  PATCH: { sessionSettings: { model: 'stolen' } },
  POST: { text: 'from somebody else' },
  PUT: { title: 'Stolen' },
};

/** Every route below one session, from the API document: a new one is covered by itself. */
const routes = OPERATIONS.filter(({ path }) => path.startsWith(`${SESSIONS}/{sessionId}`)).map(
  ({ method, path, body }) => ({
    route: `${method} ${path.slice(SESSIONS.length)}`,
    call: (user: GivenUser, sessionId: string, message: string) =>
      app
        .as(user)
        .send(
          method.toLowerCase() as 'get',
          path.replace('{sessionId}', sessionId).replace('{messageId}', message),
          body ? BODIES[method] : undefined,
        ),
  }),
);

const strangers: [string, () => Promise<GivenUser>][] = [
  ['another member', () => app.given.user(org)],
  ['a manager', () => app.given.user(org, { role: Role.Manager })],
  ['the owner of the organization', () => Promise.resolve(org.owner)],
  ['the owner of another organization', () => Promise.resolve(other.owner)],
];

/** All that an answer tells, without the ids that differ in any case. */
function tells({ status, body, headers }: ApiAnswer, sessionId: string): unknown {
  const text = JSON.stringify({ ...body, requestId: '' }).replaceAll(sessionId, '<id>');
  const names = Object.keys(headers).filter((name) => name !== 'date');
  return { status, text, names: names.sort(), type: headers['content-type'] };
}

async function stored(): Promise<unknown> {
  const sql = `SELECT s.xmin, s.*, (SELECT count(*) FROM messages m WHERE m.session_id = s.id) AS messages,
                      (SELECT count(*) FROM turns t WHERE t.session_id = s.id AND t.status = 'queued') AS turns
                 FROM sessions s WHERE s.id = $1`;
  return query(app.database.url, sql, [session.id]);
}

it('there are routes below a session', () => {
  expect(routes.length).toBeGreaterThanOrEqual(8);
});

describe.each(strangers)('for %s', (_who, stranger) => {
  it.each(routes)('$route of a session of somebody else answers as for a random id', async ({ call }) => {
    const user = await stranger();
    const random = randomUUID();
    const foreign = await call(user, session.id, messageId);
    expect(foreign.status).toBe(404);
    expect(tells(foreign, session.id)).toEqual(tells(await call(user, random, messageId), random));
  });
});

it.each(routes)('$route by a stranger changes nothing', async ({ call }) => {
  const before = await stored();
  await call(await app.given.user(org), session.id, messageId);
  await call(other.owner, session.id, messageId);
  expect(await stored()).toEqual(before);
});

it.each(routes)('$route of an id that is none is 404', async ({ call }) => {
  for (const id of ['1', 'null', "'", '%00', '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4', 'x'.repeat(300)]) {
    expect((await call(ada, id, messageId)).status).toBe(404);
  }
});

it('a message of another session is 404', async () => {
  const second = await givenSession(app, ada);
  expect((await app.as(ada).get(`${second.path}/messages/${messageId}`)).status).toBe(404);
});

it('a message that does not exist is 404', async () => {
  expect((await app.as(ada).get(`${session.path}/messages/${randomUUID()}`)).status).toBe(404);
});
