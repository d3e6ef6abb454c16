import { randomUUID } from 'node:crypto';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenMessage, givenSession, type GivenSession } from '../support/given-session.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let session: GivenSession;

beforeAll(async () => {
  app = await TestApp.start();
  org = await app.given.organization();
});
beforeEach(async () => {
  ada = await app.given.user(org);
  session = await givenSession(app, ada);
});
afterAll(() => app.stop());

const rename = (title: unknown, by = ada) => app.as(by).put(`${session.path}/title`, { title });

describe('renaming a session', () => {
  it('answers with the session, and the title stays when further messages are posted', async () => {
    await givenMessage(app, session, 'Fix the flaky login test');
    const { status, body } = await rename('  Login  ');
    expect([status, body.title]).toEqual([200, 'Login']);
    await givenMessage(app, session, 'And the other one');
    expect((await app.as(ada).get(session.path)).body.title).toBe('Login');
  });

  it('before the first message keeps the first message from naming it', async () => {
    await rename('Login');
    await givenMessage(app, session, 'Fix the flaky login test');
    expect((await app.as(ada).get(session.path)).body.title).toBe('Login');
  });

  it('is no event of the session', async () => {
    await rename('Login');
    const { body } = await app.as(ada).get(`${session.path}/messages`);
    expect(body.messages).toEqual([]);
  });

  it.each([[''], ['   '], ['x'.repeat(201)], [7], [null]])(
    'refuses the title %j with a 400 that names the field',
    async (title) => {
      const { status, body } = await rename(title);
      expect(status).toBe(400);
      expect(body.detail).toContain('title');
    },
  );

  it('is a 404 for everybody else, owners included, and for unknown sessions', async () => {
    expect((await rename('Mine', org.owner)).status).toBe(404);
    const stranger = (await app.given.organization()).owner;
    expect((await rename('Mine', stranger)).status).toBe(404);
    expect((await app.as(ada).put(`/api/v0/sessions/${randomUUID()}/title`, { title: 'x' })).status).toBe(404);
  });
});
