import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { givenMessage, givenSession, type GivenSession, storedSession } from '../support/given-session.js';
import { refOf, RelayAgent } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const LEASE_MS = 2_000;

let database: TestDatabase;
let app: TestApp;
let ada: GivenUser;
let session: GivenSession;

const start = () => TestApp.start({ database, env: { TURN_LEASE_SECONDS: String(LEASE_MS / 1000) } });
const turns = async () => (await storedSession(app, session)).turns;

beforeEach(async () => {
  database = await createTestDatabase();
  app = await start();
  ada = await app.given.user(await app.given.organization());
  session = await givenSession(app, ada);
});
afterEach(async () => {
  await app.stop();
  await database.drop();
});

/** The service goes away while an agent works, and comes back when the lease of its turn has long run out. */
async function turnOverAnOutage() {
  const agent = await RelayAgent.connect(app.url, ada.key, session.computerId);
  await givenMessage(app, session, 'Hello');
  const turn = await agent.turn();
  await agent.end();
  await app.stop();
  await delay(LEASE_MS * 1.25);
  app = await start();
  return turn;
}

describe('after the service was away for longer than a lease', () => {
  it('an agent that comes back in time keeps its turn', async () => {
    const turn = await turnOverAnOutage();
    await delay(LEASE_MS / 2); // longer than it takes to look for lost turns
    const back = await RelayAgent.connect(app.url, ada.key, session.computerId, { turns: [refOf(turn)] });
    await back.endTurn(turn);
    expect(await turns()).toEqual(['ended completed']);
    await back.end();
  });

  it('the turn of an agent that stays away is lost', async () => {
    await turnOverAnOutage();
    await eventually('the turn waits for an agent again', async () => (await turns())[0] === 'queued');
  });
});
