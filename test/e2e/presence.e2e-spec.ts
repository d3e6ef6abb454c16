import { randomUUID } from 'node:crypto';
import { SchedulerRegistry } from '@nestjs/schedule';
import { PresenceRepository } from '../../src/modules/computers/presence/presence.repository.js';
import { ReplicasService } from '../../src/modules/computers/presence/replicas.service.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenComputer, givenMessage, givenSession } from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import { RelayAgent } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const PRESENCE = '/api/v0/computers/presence';
/** Longer than a replica may be silent. */
const DEAD_MS = 21_000;
const clock = new ManualClock('2026-11-15T08:30:00.000Z');

let app: TestApp;
let replica: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let computerId: string;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  replica = await TestApp.start({ clock, database: app.database });
  for (const each of [app, replica]) each.nest.get(SchedulerRegistry).deleteInterval('replica-heartbeat');
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  computerId = await givenComputer(app, ada);
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
});

const presence = async (on = app, id = computerId) => {
  const { body } = await on.as(ada).get(PRESENCE);
  return body.computers.find((computer: { computerId: string }) => computer.computerId === id);
};
const connect = (on = app) => RelayAgent.connect(on.url, ada.key, computerId);
const becomesOffline = () => eventually('the computer is offline', async () => !(await presence()).online);

describe('a computer', () => {
  it('that never connected is offline, and nothing is known of its agent', async () => {
    expect(await presence()).toEqual({
      computerId,
      name: expect.any(String),
      online: false,
      runningTurns: 0,
      waitingTurns: 0,
      access: 'private',
      trusted: false,
      registeredBy: ada.id,
    });
  });

  it('is online as soon as its agent was greeted, on every replica', async () => {
    const agent = await connect();
    const expected = {
      online: true,
      agent: { name: 'test agent', version: '1' },
      lastSeenAt: clock.now().toISOString(),
    };
    expect(await presence()).toMatchObject(expected);
    expect(await presence(replica)).toMatchObject(expected);
    await agent.end();
  });

  it('is offline when its agent hangs up, and keeps when that was and what it was', async () => {
    const agent = await connect();
    clock.advance(60_000);
    await agent.end();
    await becomesOffline();
    expect(await presence(replica)).toMatchObject({
      online: false,
      agent: { name: 'test agent', version: '1' },
      lastSeenAt: clock.now().toISOString(),
    });
  });

  it('stays online when a newer connection takes over', async () => {
    const older = await connect();
    const newer = await connect(replica);
    await older.relay.untilClosed();
    await eventually('the end of the older one was noted', async () => {
      const [row] = await query<{ replica: string }>(
        app.database.url,
        `SELECT agent_replica AS replica FROM computers WHERE id = $1`,
        [computerId],
      );
      return row?.replica === replica.nest.get(ReplicasService).ownId;
    });
    expect(await presence()).toMatchObject({ online: true });
    await newer.end();
    await becomesOffline();
  });

  it('says what runs and what waits on it', async () => {
    const session = await givenSession(app, ada, computerId);
    await givenMessage(app, session, 'one');
    await givenMessage(app, session, 'two');
    expect(await presence()).toMatchObject({ runningTurns: 0, waitingTurns: 2 });
    const agent = await connect();
    const turn = await agent.turn();
    expect(await presence()).toMatchObject({ runningTurns: 1, waitingTurns: 1 });
    await agent.endTurn(turn);
    await agent.endTurn(await agent.turn(1));
    expect(await presence()).toMatchObject({ runningTurns: 0, waitingTurns: 0 });
    await agent.end();
  });

  it('that was given to somebody else is offline', async () => {
    const agent = await connect();
    const body = { registeredBy: org.owner.id };
    await app.as(org.owner).put(`/api/v0/computers/${computerId}/access`, body);
    expect(await presence()).toMatchObject({ online: false, registeredBy: org.owner.id });
    await agent.relay.untilClosed();
  });
});

describe('the list', () => {
  it('has the computers in the order of the list of computers', async () => {
    for (let i = 0; i < 3; i++) {
      clock.advance(1);
      await givenComputer(app, ada);
    }
    const { body: list } = await app.as(ada).get('/api/v0/computers');
    const { body } = await app.as(ada).get(PRESENCE);
    expect(body.computers.map((each: { computerId: string }) => each.computerId)).toEqual(
      list.computers.map((each: { id: string }) => each.id),
    );
  });

  it('has nothing of another organization', async () => {
    const other = await app.given.organization();
    expect((await app.as(other.owner).get(PRESENCE)).body).toEqual({ computers: [] });
  });

  it('takes no parameters', async () => {
    expect((await app.as(ada).get(`${PRESENCE}?online=true`)).status).toBe(400);
  });
});

describe('a replica', () => {
  const beat = (on: TestApp) => on.nest.get(ReplicasService).beatNow();

  it('that is silent for 20 seconds has lost its computers, and finds them again when it wakes up', async () => {
    const agent = await connect(replica);
    const seenAt = clock.now().toISOString();
    await beat(app);
    clock.advance(DEAD_MS);
    await beat(app);
    expect(await presence()).toMatchObject({ online: false, lastSeenAt: seenAt });
    await beat(replica);
    expect(await presence()).toMatchObject({ online: true, lastSeenAt: clock.now().toISOString() });
    await agent.end();
  });

  it('that stops has no computers any more', async () => {
    const third = await TestApp.start({ clock, database: app.database });
    await connect(third);
    expect(await presence()).toMatchObject({ online: true });
    await third.stop();
    expect(await presence()).toMatchObject({ online: false });
    const { ownId } = third.nest.get(ReplicasService);
    expect(await query(app.database.url, `SELECT FROM replicas WHERE id = $1`, [ownId])).toEqual([]);
  });

  it('makes up for an end that it could not write', async () => {
    const agent = await connect();
    const rows = app.nest.get(PresenceRepository);
    const markOffline = rows.markOffline.bind(rows);
    rows.markOffline = () => {
      rows.markOffline = markOffline;
      return Promise.reject(new Error('no database'));
    };
    await agent.end();
    await eventually('the end was not written', () => rows.markOffline === markOffline);
    expect(await presence()).toMatchObject({ online: true });
    await beat(app);
    expect(await presence()).toMatchObject({ online: false });
  });

  it('of which nothing is known has no computers', async () => {
    const agent = await connect();
    await query(app.database.url, `UPDATE computers SET agent_replica = $2 WHERE id = $1`, [computerId, randomUUID()]);
    expect(await presence()).toMatchObject({ online: false });
    await agent.end();
  });
});
