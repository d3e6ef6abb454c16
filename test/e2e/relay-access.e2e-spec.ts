import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Role } from '../../src/common/access/role.enum.js';
import { newApiKey } from '../../src/common/access/api-key-format.js';
import { ControlsRepository } from '../../src/modules/organization/controls/controls.repository.js';
import { ControlsService } from '../../src/modules/organization/controls/controls.service.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenComputer } from '../support/given-session.js';
import { agentPath } from '../support/relay-agent.js';
import { clientPath } from '../support/relay-client.js';
import { Refused, RelaySocket } from '../support/relay-socket.js';
import { TestApp } from '../support/test-app.js';

const CONTROLS = '/api/v0/organization/enterprise-controls';
const ADDRESS = '203.0.113.7';
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let computerId: string;

beforeAll(async () => {
  app = await TestApp.start({ env: { TRUST_PROXY: '1' } });
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  computerId = await givenComputer(app, ada);
});
afterAll(() => app.stop());

async function decide(settings: object): Promise<void> {
  const { status } = await app.as(org.owner).put(CONTROLS, settings, { 'X-Forwarded-For': ADDRESS });
  expect(status).toBe(200);
  await eventually('the newest revision holds', async () => {
    const newest = await app.nest.get(ControlsRepository).findCurrent(org.id);
    return isDeepStrictEqual(await app.nest.get(ControlsService).current(org.id), newest?.settings);
  });
}

/** How a socket is refused; fails when it is opened. */
async function refused(path: string, bearer: string | null, headers: Record<string, string> = {}): Promise<Refused> {
  const outcome = await RelaySocket.open(app.url, path, bearer, { headers }).catch((error: unknown) => error);
  if (outcome instanceof Refused) return outcome;
  throw new Error(`The socket was not refused: ${String(outcome)}`);
}

async function isOpened(path: string, bearer: string): Promise<boolean> {
  const socket = await RelaySocket.open(app.url, path, bearer);
  await socket.end();
  return true;
}

describe.each([
  ['agent', agentPath],
  ['client', clientPath],
])('the socket for an %s', (_, path) => {
  it.each([
    ['no credential', () => null],
    ['garbage for a credential', () => 'garbage'],
    ['a key that nobody has', () => newApiKey()],
  ])('is 401 with %s', async (_what, bearer) => {
    const { status, headers } = await refused(path(computerId), bearer());
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Bearer/)]);
  });

  it('is refused as any other request is: with a problem and the id of the request', async () => {
    const { status, headers, body } = await refused(path(computerId), null);
    expect(headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', connection: 'close' });
    expect(headers['x-request-id']).toMatch(UUID_V7);
    expect(body).toMatchObject({ status, requestId: headers['x-request-id'], title: expect.any(String) });
  });

  it('is 401 with a credential in the query: it would end up in logs', async () => {
    const { status } = await refused(`${path(computerId)}?access_token=${ada.key}`, null);
    expect(status).toBe(401);
  });

  it('is 403 for a guest', async () => {
    const guest = await app.given.user(org, { role: Role.Guest });
    expect((await refused(path(computerId), guest.key)).status).toBe(403);
  });

  it.each([
    ['a computer that does not exist', () => randomUUID()],
    ['an id that is none', () => 'laptop'],
  ])('is 404 for %s', async (_what, id) => {
    const { status, body } = await refused(path(id()), ada.key);
    expect([status, body.status]).toEqual([404, 404]);
  });

  it('is 404 for a computer of another organization', async () => {
    const { owner } = await app.given.organization();
    expect((await refused(path(computerId), owner.key)).status).toBe(404);
  });

  it('is 403 from an address that the organization does not allow', async () => {
    await decide({ networkPolicy: { allowedIps: [ADDRESS] } });
    const { status, body } = await refused(path(computerId), ada.key, { 'X-Forwarded-For': '198.51.100.4' });
    expect([status, body.detail]).toEqual([403, expect.stringContaining('networkPolicy')]);
    const socket = await RelaySocket.open(app.url, path(computerId), ada.key, {
      headers: { 'X-Forwarded-For': ADDRESS },
    });
    await socket.end();
  });

  it('is 400 for a plain request', async () => {
    const { status, body } = await app.as(ada).get(path(computerId));
    expect([status, body.detail]).toEqual([400, expect.stringContaining('WebSocket')]);
  });

  it('is 400 with a parameter that it does not know', async () => {
    expect((await refused(`${path(computerId)}?token=1`, ada.key)).status).toBe(400);
  });

  it('takes the id of the computer in any letter case', async () => {
    expect(await isOpened(path(computerId.toUpperCase()), ada.key)).toBe(true);
  });
});

describe('connecting as the agent', () => {
  it.each([Role.Owner, Role.Manager, Role.Member])(
    'of a computer of somebody else is 403 for the role %s',
    async (role) => {
      const other = await app.given.user(org, { role });
      const { status, body } = await refused(agentPath(computerId), other.key);
      expect([status, body.detail]).toEqual([403, expect.stringContaining('registered')]);
    },
  );

  it('of a computer is for the user who registered it', async () => {
    expect(await isOpened(agentPath(computerId), ada.key)).toBe(true);
  });

  it('is 403 while the policy byomComputersEnabled forbids computers of your own', async () => {
    await decide({ byomComputersEnabled: false });
    const { status, body } = await refused(agentPath(computerId), ada.key);
    expect([status, body.detail]).toEqual([403, expect.stringContaining('byomComputersEnabled')]);
  });
});

describe('connecting as a client', () => {
  it('of a computer is for every member', async () => {
    const other = await app.given.user(org);
    expect(await isOpened(clientPath(computerId), other.key)).toBe(true);
  });

  it('does not disturb the agent, and gives no right to speak as one', async () => {
    const socket = await RelaySocket.open(app.url, clientPath(computerId), ada.key);
    expect((await socket.refusal('hello', {})).code).toBe(-32601);
    await socket.end();
  });
});

describe('the addresses that a computer shows', () => {
  it('are those of its sockets', async () => {
    const { body } = await app.as(ada).get(`/api/v0/computers/${computerId}`);
    expect(new URL(body.relayAgentUrl).pathname).toBe(agentPath(computerId));
    expect(new URL(body.relayClientUrl).pathname).toBe(clientPath(computerId));
    expect(body.relayAgentUrl).toMatch(/^wss?:/);
  });
});
