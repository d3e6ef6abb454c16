import { isDeepStrictEqual } from 'node:util';
import { Role } from '../../src/common/access/role.enum.js';
import { ControlsRepository } from '../../src/modules/organization/controls/controls.repository.js';
import { ControlsService } from '../../src/modules/organization/controls/controls.service.js';
import { OperatorCommands } from '../../src/modules/organization/operator-commands.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { EventReader } from '../support/event-reader.js';
import { givenComputer, givenSession } from '../support/given-session.js';
import { agentPath } from '../support/relay-agent.js';
import { clientPath } from '../support/relay-client.js';
import { RelaySocket } from '../support/relay-socket.js';
import { TestApp } from '../support/test-app.js';
import { statusWithin } from '../support/within.js';

const controls = '/api/v0/organization/enterprise-controls';
const ADDRESS = '203.0.113.7';

let app: TestApp;
let proxied: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start();
  proxied = await TestApp.start({ database: app.database, env: { TRUST_PROXY: '1' } });
});
beforeEach(async () => {
  org = await app.given.organization();
});
afterAll(async () => {
  await proxied.stop();
  await app.stop();
});

const from = (address: string, user: GivenUser = org.owner) =>
  proxied.as(user).get('/api/v0/me', { 'X-Forwarded-For': address });
/** Set from an address that is allowed. */
const allow = async (...allowedIps: string[]) => {
  const settings = { networkPolicy: { allowedIps: [...allowedIps, ADDRESS] } };
  const { status } = await proxied.as(org.owner).put(controls, settings, { 'X-Forwarded-For': ADDRESS });
  expect(status).toBe(200);
  await eventually('the newest revision holds', async () => {
    const newest = await proxied.nest.get(ControlsRepository).findCurrent(org.id);
    return isDeepStrictEqual(await proxied.nest.get(ControlsService).current(org.id), newest?.settings);
  });
};

describe('networkPolicy.allowedIps', () => {
  it.each([
    ['198.51.100.4', '198.51.100.4', 200],
    ['198.51.100.4', '198.51.100.5', 403],
    ['198.51.100.0/30', '198.51.100.3', 200],
    ['198.51.100.0/30', '198.51.100.4', 403],
    ['0.0.0.0/0', '198.51.100.4', 200],
    ['0.0.0.0/0', '2001:db8::1', 403],
    ['2001:db8::/32', '2001:db8:ffff::1', 200],
    ['2001:db8::/32', '2001:db9::1', 403],
    ['2001:db8::1', '2001:DB8:0:0:0:0:0:1', 200],
    ['198.51.100.4', '::ffff:198.51.100.4', 200],
    ['198.51.100.4', '::ffff:198.51.100.5', 403],
    ['::/0', '2001:db8::1', 200],
  ])('%s answers a request from %s with %d', async (range, address, expected) => {
    await allow(range);
    expect((await from(address)).status).toBe(expected);
  });

  it.each(['garbage', '198.51.100.4:8080', '', 'fe80::1%eth0', '[2001:db8::1]'])(
    'lets nobody in from what is no address: %s',
    async (address) => {
      await allow('198.51.100.4');
      expect((await from(address)).status).toBe(403);
    },
  );

  it.each([Role.Owner, Role.Manager, Role.Member, Role.Guest])('counts for the role %s', async (role) => {
    const user = await app.given.user(org, { role });
    await allow();
    const { status, body } = await from('198.51.100.4', user);
    expect([status, body.detail]).toEqual([
      403,
      'The policy networkPolicy.allowedIps does not allow requests from 198.51.100.4.',
    ]);
  });

  it('does not count for another organization', async () => {
    await allow();
    const other = await app.given.organization();
    expect((await from('198.51.100.4', other.owner)).status).toBe(200);
  });

  it('counts the address that the trusted proxy saw, not what the client says', async () => {
    await allow();
    expect((await from(`${ADDRESS}, 198.51.100.4`)).status).toBe(403);
  });

  it('does not count a forwarded address without TRUST_PROXY', async () => {
    await allow();
    const forged = () => app.as(org.owner).get('/api/v0/me', { 'X-Forwarded-For': ADDRESS });
    expect(await statusWithin(1_000, 403, forged)).toBe(403);
  });

  it('that would lock its author out is 409 and changes nothing', async () => {
    const { status, body } = await app.as(org.owner).put(controls, { networkPolicy: { allowedIps: [ADDRESS] } });
    expect([status, body.detail]).toEqual([
      409,
      'networkPolicy.allowedIps would lock you out: you are calling from 127.0.0.1.',
    ]);
    expect((await app.as(org.owner).get(controls)).body.revision).toBe(0);
  });

  it('is gone on every replica within a second of a reset from the command line', async () => {
    await allow();
    expect((await from('198.51.100.4')).status).toBe(403);
    await app.nest.get(OperatorCommands).resetControls({ org: org.id });
    expect(await statusWithin(1_000, 200, () => from('198.51.100.4'))).toBe(200);
  });
});

describe('what is open already when a policy changes', () => {
  const ELSEWHERE = '198.51.100.4';
  /** What the service promises, and what the machine may need on top. */
  const SOON_MS = 1_400;
  let computerId: string;

  beforeEach(async () => {
    computerId = await givenComputer(app, org.owner);
  });

  const socketsFrom = (address: string) =>
    Promise.all(
      [agentPath, clientPath].map((path) =>
        RelaySocket.open(proxied.url, path(computerId), org.owner.key, { headers: { 'X-Forwarded-For': address } }),
      ),
    );
  const streamFrom = async (address: string) =>
    EventReader.open(proxied, await givenSession(app, org.owner, computerId), {
      headers: { 'X-Forwarded-For': address },
    });

  it('ends within a second where networkPolicy.allowedIps does not allow it any more', async () => {
    const sockets = await socketsFrom(ELSEWHERE);
    const stream = await streamFrom(ELSEWHERE);
    await proxied
      .as(org.owner)
      .put(controls, { networkPolicy: { allowedIps: [ADDRESS] } }, { 'X-Forwarded-For': ADDRESS });
    const changedAt = performance.now();
    const reason = `The policy networkPolicy.allowedIps does not allow requests from ${ELSEWHERE}.`;
    for (const socket of sockets) expect(await socket.untilClosed()).toEqual({ code: 4001, reason });
    expect(await stream.end()).toBe(true);
    expect(performance.now() - changedAt).toBeLessThan(SOON_MS);
  });

  it('goes on where it is allowed', async () => {
    const sockets = await socketsFrom(ADDRESS);
    const stream = await streamFrom(ADDRESS);
    await allow();
    expect(await stream.end(1_000)).toBe(false);
    expect(sockets.map(({ closed }) => closed)).toEqual([null, null]);
    stream.close();
    await Promise.all(sockets.map((socket) => socket.end()));
  });

  it('ends within a second when byomComputersEnabled is switched off, for agents alone', async () => {
    const [agent, client] = await socketsFrom(ADDRESS);
    await proxied.as(org.owner).put(controls, { byomComputersEnabled: false }, { 'X-Forwarded-For': ADDRESS });
    const changedAt = performance.now();
    expect(await agent?.untilClosed()).toEqual({
      code: 4001,
      reason: 'The policy byomComputersEnabled does not allow to add or connect computers of your own.',
    });
    expect(performance.now() - changedAt).toBeLessThan(SOON_MS);
    expect(client?.closed).toBeNull();
    await client?.end();
  });
});
