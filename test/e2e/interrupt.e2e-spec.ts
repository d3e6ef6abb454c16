import { randomUUID } from 'node:crypto';
import type { GivenUser } from '../support/given.js';
import {
  givenComputer,
  givenMessage,
  givenRunningTurn,
  givenSession,
  type GivenSession,
  storedSession,
} from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let ada: GivenUser;
let computerId: string;
let session: GivenSession;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  const org = await app.given.organization();
  ada = await app.given.user(org);
  computerId = await givenComputer(app, ada);
});
beforeEach(async () => {
  session = await givenSession(app, ada, computerId);
});
afterAll(() => app.stop());

const post = (body: object) => app.as(ada).post(`${session.path}/messages`, body);
const read = async () => (await app.as(ada).get(session.path)).body;
const interrupt = () => app.as(ada).post(`${session.path}/interrupt`);
const stored = () => storedSession(app, session);

describe('interrupting a session', () => {
  it('that waits makes it idle and ends its turns', async () => {
    await post({ text: 'one' });
    await post({ text: 'two' });
    clock.advance(7);
    const { status, body } = await interrupt();
    expect([status, body]).toEqual([200, { status: 'idle' }]);
    expect((await stored()).turns).toEqual(['ended cancelled', 'ended cancelled']);
    expect(await read()).toMatchObject({ status: 'idle', messageCount: 2, completedAt: clock.now().getTime() });
  });

  it('that runs ends the running turn too', async () => {
    await post({ text: 'one' });
    await givenRunningTurn(app, session);
    await post({ text: 'two' });
    expect((await interrupt()).body).toEqual({ status: 'idle' });
    expect((await stored()).turns).toEqual(['ended cancelled', 'ended cancelled']);
  });

  it('that is idle changes nothing', async () => {
    const before = await read();
    clock.advance(1);
    expect((await interrupt()).body).toEqual({ status: 'idle' });
    expect([await read(), (await stored()).events]).toEqual([before, 0]);
  });

  it('lets the next message begin anew', async () => {
    await post({ text: 'one' });
    await interrupt();
    expect((await post({ text: 'two' })).body.status).toBe('pending');
    expect((await stored()).turns).toEqual(['ended cancelled', 'queued']);
  });

  it('keeps the messages', async () => {
    const id = await givenMessage(app, session, 'one');
    await interrupt();
    expect((await app.as(ada).get(`${session.path}/messages/${id}`)).status).toBe(200);
  });

  it('again with the same Idempotency-Key does not touch what was posted since', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    await post({ text: 'one' });
    await app.as(ada).post(`${session.path}/interrupt`, undefined, headers);
    await post({ text: 'two' });
    await app.as(ada).post(`${session.path}/interrupt`, undefined, headers);
    expect((await stored()).turns).toEqual(['ended cancelled', 'queued']);
  });
});
