import { EventReader } from '../support/event-reader.js';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { givenComputer } from '../support/given-session.js';
import { RelayAgent } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';

const OFFLINE_MS = 30_000;
const ONLINE_MS = 2_000;

let app: TestApp;
let replica: TestApp;
let ada: GivenUser;

beforeAll(async () => {
  app = await TestApp.start();
  replica = await TestApp.start({ database: app.database });
  ada = await app.given.user(await app.given.organization());
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
});

it('a computer whose plug is pulled is offline within 30 seconds, and online within 2 when it is back', async () => {
  const computerId = await givenComputer(app, ada);
  const tab = await EventReader.open(replica, { path: '/api/v0', user: ada });
  const isOnline = async () =>
    (await replica.as(ada).get('/api/v0/computers/presence')).body.computers[0].online === true;
  const told = () => tab.events.filter(({ event }) => event === 'computer.changed').at(-1)?.data.online;
  const agent = await RelayAgent.connect(app.url, ada.key, computerId);
  await eventually('the computer is online', async () => (await isOnline()) && told() === true, ONLINE_MS);

  agent.relay.socket.pause(); // answers no ping any more, and does not hang up either
  await eventually('the computer is offline', async () => !(await isOnline()) && told() === false, OFFLINE_MS);

  const back = await RelayAgent.connect(app.url, ada.key, computerId);
  await eventually('the computer is back', async () => (await isOnline()) && told() === true, ONLINE_MS);
  tab.close();
  agent.relay.socket.terminate();
  await back.end();
}, 60_000);
