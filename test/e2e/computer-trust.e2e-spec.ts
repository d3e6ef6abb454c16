import { isDeepStrictEqual } from 'node:util';
import { Role } from '../../src/common/access/role.enum.js';
import { newComputerToken } from '../../src/common/access/api-key-format.js';
import { ControlsRepository } from '../../src/modules/organization/controls/controls.repository.js';
import { ControlsService } from '../../src/modules/organization/controls/controls.service.js';
import { eventually } from '../support/eventually.js';
import { anEvent } from '../support/given-events.js';
import { givenAccess, givenComputer, givenMessage, type GivenSession, SESSIONS } from '../support/given-session.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { agentPath, RelayAgent, says } from '../support/relay-agent.js';
import { Refused, RelaySocket } from '../support/relay-socket.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const COMPUTERS = '/api/v0/computers';
const CONTROLS = '/api/v0/organization/enterprise-controls';
const AUDIT = '/api/v0/organization/audit-log?limit=100';
const SECRETS = ['sk-live-ORGSECRET-1234', 'header-secret-999999', 'sup3rs3cretpw', 'MARKETPASSWORD123'] as const;
const [API_KEY, HEADER, PASSWORD, MARKET] = SECRETS;
const MODEL = {
  id: 'custom:gpt',
  model: 'gpt',
  baseUrl: `https://user:${PASSWORD}@models.example.com/v1`,
  apiKey: API_KEY,
  extraHeaders: { 'X-Token': HEADER, 'X-Team': '${TEAM}' },
};
const SOURCE = { source: 'url', url: `https://bot:${MARKET}@git.example.com/m.git` };

let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let computerId: string;
const agents: RelayAgent[] = [];

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  computerId = await givenComputer(app, ada);
});
afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.end())));
afterAll(() => app.stop());

const tokenOf = async (user = ada) =>
  (await app.as(user).post(`${COMPUTERS}/${computerId}/token`)).body.token as string;
const trust = (trusted = true) => givenAccess(app, org.owner, computerId, { trusted });
const lastMessage = async ({ path }: GivenSession) =>
  (await app.as(ada).get(`${path}/messages?limit=1`)).body.messages[0];
const audited = async (action: string) =>
  (await app.as(org.owner).get(AUDIT)).body.entries.filter((one: { action: string }) => one.action === action);

async function connect(bearer = ada.key): Promise<RelayAgent> {
  const agent = await RelayAgent.connect(app.url, bearer, computerId);
  agents.push(agent);
  return agent;
}

async function sessionWith(sessionSettings: object): Promise<GivenSession> {
  const { body } = await app.as(ada).post(SESSIONS, { computerId, sessionSettings });
  return { orgId: org.id, user: ada, id: body.sessionId, computerId, path: `${SESSIONS}/${body.sessionId}` };
}

async function decide(settings: object): Promise<void> {
  expect((await app.as(org.owner).put(CONTROLS, settings)).status).toBe(200);
  await eventually('the newest revision holds', async () => {
    const newest = await app.nest.get(ControlsRepository).findCurrent(org.id);
    return isDeepStrictEqual(await app.nest.get(ControlsService).current(org.id), newest?.settings);
  });
}

/** How a socket is refused. */
async function refusal(computer: string, bearer: string): Promise<Refused> {
  const outcome = await RelaySocket.open(app.url, agentPath(computer), bearer).catch((error: unknown) => error);
  if (outcome instanceof Refused) return outcome;
  throw new Error(`The socket was not refused: ${String(outcome)}`);
}

describe('literal secrets of the controls', () => {
  beforeEach(() =>
    decide({
      customModels: [MODEL],
      strictKnownMarketplaces: [SOURCE],
      extraKnownMarketplaces: { team: { source: SOURCE } },
      commandAllowlist: ['ls'],
    }),
  );

  it('do not travel to a computer that no owner trusts, and everything else does', async () => {
    const agent = await connect();
    await givenMessage(app, await sessionWith({ model: 'model-a', specModeModel: MODEL.id }), 'Hello');
    const { controls } = await agent.turn();
    for (const secret of SECRETS) expect(JSON.stringify(agent.relay.heard)).not.toContain(secret);
    const url = 'https://bot@git.example.com/m.git';
    expect(controls).toEqual({
      customModels: [
        {
          id: MODEL.id,
          model: 'gpt',
          baseUrl: 'https://user@models.example.com/v1',
          extraHeaders: { 'X-Team': '${TEAM}' },
        },
      ],
      strictKnownMarketplaces: [{ ...SOURCE, url }],
      extraKnownMarketplaces: { team: { source: { ...SOURCE, url } } },
      commandAllowlist: ['ls'],
    });
    expect(await audited('secret.released')).toEqual([]);
  });

  it.each([
    ['the model of the session', { model: MODEL.id }],
    ['the model of the specification mode, while it is in it', { specModeModel: MODEL.id, interactionMode: 'spec' }],
  ])('that %s needs end its turn there, with an error that says why', async (_, settings) => {
    const agent = await connect();
    const session = await sessionWith(settings);
    await givenMessage(app, session, 'Hello');
    await eventually('the turn ends', async () => (await app.as(ada).get(session.path)).body.status === 'idle');
    const { isError, content } = await lastMessage(session);
    expect([isError, content[0].text]).toEqual([true, expect.stringMatching(/custom:gpt.*trusted.*owner/)]);
    expect(agent.turns).toEqual([]);
  });

  it('travel to a trusted computer', async () => {
    await trust();
    const agent = await connect();
    await givenMessage(app, await sessionWith({ model: MODEL.id }), 'Hello');
    expect((await agent.turn()).controls).toMatchObject({ customModels: [MODEL], strictKnownMarketplaces: [SOURCE] });
  });

  it('travel no more once the trust is gone, also for what was queued before', async () => {
    await trust();
    const session = await sessionWith({ model: 'model-a' });
    await givenMessage(app, session, 'Hello');
    await trust(false);
    const agent = await connect();
    await agent.turn();
    expect(JSON.stringify(agent.relay.heard)).not.toContain(MARKET);
  });

  it('are in the audit log when they are first released to a computer, masked, each once', async () => {
    await trust();
    const agent = await connect();
    for (const text of ['a', 'b']) await givenMessage(app, await sessionWith({ model: MODEL.id }), text);
    await agent.turn(1);
    const entries = await audited('secret.released');
    expect(entries.map((one: { after: { secret: string } }) => one.after.secret).sort()).toEqual([
      'customModels.custom:gpt.apiKey',
      'customModels.custom:gpt.baseUrl',
      'customModels.custom:gpt.extraHeaders.X-Token',
      'extraKnownMarketplaces.team.source.url',
      'strictKnownMarketplaces.0.url',
    ]);
    for (const entry of entries)
      expect(entry).toMatchObject({ target: computerId, actor: { id: ada.id, email: ada.email } });
    for (const secret of SECRETS) expect(JSON.stringify(entries)).not.toContain(secret);
    const [stored] = await query<{ text: string }>(
      app.database.url,
      `SELECT string_agg(r::text, ' ') AS text FROM released_secrets r WHERE r.computer_id = $1`,
      [computerId],
    );
    for (const secret of SECRETS) expect(stored?.text).not.toContain(Buffer.from(secret).toString('hex'));
  });

  it('are released anew when they change, and only those', async () => {
    await trust();
    const agent = await connect();
    await givenMessage(app, await sessionWith({ model: MODEL.id }), 'a');
    await agent.turn();
    await decide({ customModels: [{ ...MODEL, apiKey: 'sk-live-ANOTHER-5678' }], strictKnownMarketplaces: [SOURCE] });
    await givenMessage(app, await sessionWith({ model: MODEL.id }), 'b');
    await agent.turn(1);
    const [newest, ...others] = await audited('secret.released');
    expect(newest.after).toMatchObject({ secret: 'customModels.custom:gpt.apiKey', value: '****5678' });
    expect(others).toHaveLength(5);
  });
});

describe('a computer token', () => {
  it('has the form of an API key with a prefix of its own, and is in no table', async () => {
    const { status, body } = await app.as(ada).post(`${COMPUTERS}/${computerId}/token`);
    expect([status, Object.keys(body)]).toEqual([201, ['token']]);
    expect(body.token).toMatch(/^apc_[0-9A-Za-z]{49}$/);
    const rows = await query<{ row: string }>(
      app.database.url,
      `SELECT t::text AS row FROM computer_tokens t WHERE t.computer_id = $1
       UNION ALL SELECT a::text FROM audit_log a UNION ALL SELECT i::text FROM idempotency_keys i`,
      [computerId],
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) expect(row).not.toContain(body.token);
  });

  it('is audited when it is made', async () => {
    const token = await tokenOf();
    const entries = await audited('computer_token.created');
    expect(entries).toMatchObject([
      { target: computerId, actor: { id: ada.id }, after: { prefix: token.slice(0, 10) } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(token);
  });

  it('is not shown again for a repeated request', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const first = await app.as(ada).post(`${COMPUTERS}/${computerId}/token`, undefined, headers);
    const second = await app.as(ada).post(`${COMPUTERS}/${computerId}/token`, undefined, headers);
    expect([first.status, second.status]).toEqual([201, 409]);
    expect(second.text).not.toContain(first.body.token);
  });

  it.each([Role.Owner, Role.Manager, Role.Member])(
    'of a computer of somebody else is 403 for the role %s',
    async (role) => {
      const other = await app.given.user(org, { role });
      const { status, body } = await app.as(other).post(`${COMPUTERS}/${computerId}/token`);
      expect([status, body.detail]).toEqual([403, expect.stringContaining('registered')]);
    },
  );

  it('connects, takes turns, appends and reports usage; it is never sent back', async () => {
    const token = await tokenOf();
    const agent = await connect(token);
    const session = await sessionWith({});
    await givenMessage(app, session, 'Hello');
    const turn = await agent.turn();
    expect(turn.userId).toBe(ada.id);
    expect(agent.greeting.computer).toMatchObject({ id: computerId, registeredBy: ada.id });
    await agent.relay.call('usage.report', { sessionId: session.id, events: [anEvent('git_commit')] });
    await agent.endTurn(turn, 'completed', says('Hi'));
    expect((await lastMessage(session)).content).toMatchObject([{ text: 'Hi' }]);
    expect(JSON.stringify([agent.greeting, agent.relay.heard])).not.toContain('apc_');
  });

  it('is 403 at another computer, also of the same user', async () => {
    const { status, body } = await refusal(await givenComputer(app, ada), await tokenOf());
    expect([status, body.detail]).toEqual([403, expect.stringContaining('another computer')]);
  });

  it('is 404 at a computer of another organization', async () => {
    const { owner } = await app.given.organization();
    expect((await refusal(await givenComputer(app, owner), await tokenOf())).status).toBe(404);
  });

  it.each([
    ['that nobody has', () => newComputerToken()],
    ['whose checksum is wrong', () => `${newComputerToken().slice(0, -1)}!`],
  ])('%s is 401', async (_, token) => {
    expect((await refusal(computerId, token())).status).toBe(401);
  });

  it('ends when there is a newer one, which goes on working', async () => {
    const old = await tokenOf();
    const agent = await connect(old);
    const fresh = await tokenOf();
    expect((await agent.relay.untilClosed(2_000)).code).toBe(4001);
    expect((await refusal(computerId, old)).status).toBe(401);
    await connect(fresh);
  });

  it('leaves the other sockets of its user alone when it ends', async () => {
    await connect(await tokenOf());
    const bystander = await RelayAgent.connect(app.url, ada.key, await givenComputer(app, ada));
    agents.push(bystander);
    await tokenOf();
    await agents[0]?.relay.untilClosed(2_000);
    expect(bystander.relay.closed).toBeNull();
  });

  it('ends with its computer', async () => {
    const token = await tokenOf();
    const agent = await connect(token);
    await app.as(ada).delete(`${COMPUTERS}/${computerId}`);
    expect((await agent.relay.untilClosed(2_000)).code).toBe(4003);
    expect((await app.withBearer(token).get('/api/v0/me')).status).toBe(401);
  });

  it('ends with the deactivation of its user, for good', async () => {
    const token = await tokenOf();
    const user = `/api/v0/organization/users/${ada.id}`;
    await app.as(org.owner).delete(user);
    expect((await refusal(computerId, token)).status).toBe(401);
    await app.as(org.owner).patch(user, { state: 'active' });
    expect((await refusal(computerId, token)).status).toBe(401);
  });

  it('opens nothing while its user is a guest', async () => {
    const token = await tokenOf();
    await app.as(org.owner).patch(`/api/v0/organization/users/${ada.id}`, { role: 'guest' });
    await eventually('the role holds', async () => (await refusal(computerId, token)).status === 403);
  });
});
