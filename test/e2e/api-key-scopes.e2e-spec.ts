import { createHash } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import { AppConfig } from '../../src/config/app-config.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { anEvent, INGEST, storedEvents } from '../support/given-events.js';
import { query } from '../support/test-database.js';
import { RelaySocket } from '../support/relay-socket.js';
import { TestApp } from '../support/test-app.js';

const KEYS = '/api/v0/api-keys';
const MAX_KEYS = 4;
const REFUSAL = 'This API key has the scope "telemetry": it may send usage and telemetry, and nothing else.';

let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({ env: { MAX_API_KEYS_PER_USER: String(MAX_KEYS) } });
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
});
afterAll(() => app.stop());

async function telemetryKey(user: GivenUser): Promise<string> {
  const { status, body } = await app.as(user).post(KEYS, { name: 'agent', scope: 'telemetry' });
  expect([status, body.scope]).toEqual([201, 'telemetry']);
  return body.key as string;
}

/** One tool call of Claude Code, with the address of a user. */
const aLogOf = (email: string) => ({
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'claude-code' } }] },
      scopeLogs: [
        {
          scope: { name: 'com.anthropic.claude_code.events' },
          logRecords: [
            {
              timeUnixNano: String(BigInt(Date.now()) * 1_000_000n),
              body: { stringValue: 'claude_code.tool_result' },
              attributes: [
                { key: 'event.name', value: { stringValue: 'tool_result' } },
                { key: 'tool_name', value: { stringValue: 'Read' } },
                { key: 'session.id', value: { stringValue: 's-1' } },
                { key: 'user.email', value: { stringValue: email } },
              ],
            },
          ],
        },
      ],
    },
  ],
});

describe('an API key with the scope "telemetry"', () => {
  it('is shown as such in lists and in the audit log, others as full', async () => {
    await telemetryKey(ada);
    const { body } = await app.as(ada).get(KEYS);
    expect(body.apiKeys.map(({ scope }: { scope: string }) => scope)).toEqual(['telemetry', 'full']);
    const log = await app.as(org.owner).get('/api/v0/organization/audit-log?limit=1');
    expect(log.body.entries[0]).toMatchObject({ action: 'api_key.created', after: { scope: 'telemetry' } });
  });

  it('sends usage of its owner', async () => {
    const key = await telemetryKey(ada);
    const { status, body } = await app.withBearer(key).post(INGEST, { events: [anEvent()] });
    expect([status, body.accepted]).toEqual([200, 1]);
    expect((await storedEvents(app, org.id)).map(({ userId }) => userId)).toEqual([ada.id]);
  });

  it.each([Role.Owner, Role.Manager])('sends usage of nobody else, also when its owner is %s', async (role) => {
    const boss = await app.given.user(org, { role });
    const events = [anEvent('user_message', { userId: ada.id }), anEvent('user_message', { userEmail: ada.email })];
    const { body } = await app.withBearer(await telemetryKey(boss)).post(INGEST, { events });
    expect([body.accepted, body.rejectedCount]).toEqual([0, 2]);
    expect((await app.as(boss).post(INGEST, { events })).body.accepted).toBe(2);
  });

  it('counts telemetry that names somebody else for its owner', async () => {
    const key = await telemetryKey(org.owner);
    const { status } = await app.withBearer(key).post('/api/otlp/v1/logs', aLogOf(ada.email));
    expect(status).toBe(200);
    expect((await storedEvents(app, org.id)).map(({ userId }) => userId)).toEqual([org.owner.id]);
  });

  it.each([
    ['who it is', 'get', '/api/v0/me'],
    ['its sessions', 'get', '/api/v0/sessions'],
    ['the keys of its owner', 'get', KEYS],
    ['an event stream', 'get', '/api/v0/sessions/01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e/events'],
    ['another key', 'post', KEYS],
  ] as const)('is 403 when it asks for %s, and says why', async (_what, method, path) => {
    const key = await telemetryKey(ada);
    const { status, body } = await app
      .withBearer(key)
      .send(method, path, method === 'post' ? { name: 'x' } : undefined);
    expect([status, body.detail]).toEqual([403, REFUSAL]);
  });

  it.each(['agent', 'client'])('opens no %s socket', async (side) => {
    const { body } = await app.as(ada).post('/api/v0/computers', { name: `box-${side}-${ada.id}` });
    const path = `/api/v0/computers/${body.id}/${side}`;
    await expect(RelaySocket.open(app.url, path, await telemetryKey(ada))).rejects.toThrow('403');
  });

  it('is not found by a release that knows no scopes, instead of being a full key there', async () => {
    const key = await telemetryKey(ada);
    const hash = createHash('sha256').update(key).digest();
    expect(await query(app.database.url, `SELECT FROM api_key_directory d WHERE d.key_hash = $1`, [hash])).toEqual([]);
  });

  it('ends when it is revoked', async () => {
    const { body } = await app.as(ada).post(KEYS, { name: 'agent', scope: 'telemetry' });
    await app.as(ada).delete(`${KEYS}/${body.id}`);
    expect((await app.withBearer(body.key).post(INGEST, { events: [] })).status).toBe(401);
  });

  it.each(['admin', '', null, ['telemetry'], 7])('is refused with the scope %j', async (scope) => {
    const { status, body } = await app.as(ada).post(KEYS, { name: 'x', scope });
    expect([status, body.errors?.[0]?.field]).toEqual([400, 'scope']);
  });
});

describe('the number of API keys of a user', () => {
  const create = (user: GivenUser, body = {}) => app.as(user).post(KEYS, { name: 'x', ...body });

  it('is bounded: at the bound a key can be made, past it that is a 409 that names the bound', async () => {
    // Each user has one to begin with.
    const statuses: number[] = [];
    for (let i = 1; i < MAX_KEYS; i++) statuses.push((await create(ada)).status);
    const { status, body } = await create(ada);
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect([status, body.detail]).toEqual([
      409,
      `A user may have ${MAX_KEYS} API keys (MAX_API_KEYS_PER_USER); revoke one first.`,
    ]);
  });

  it('is bounded also when they are made at once, and by an owner for somebody else', async () => {
    const answers = await Promise.all(
      Array.from({ length: MAX_KEYS + 2 }, () => create(org.owner, { userId: ada.id })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MAX_KEYS - 1);
    expect((await create(org.owner)).status).toBe(201);
  });

  it('has room again when one was revoked', async () => {
    const last = [await create(ada), await create(ada), await create(ada)].at(-1);
    await app.as(ada).delete(`${KEYS}/${last?.body.id}`);
    expect((await create(ada)).status).toBe(201);
  });

  it('is 100 unless something else is configured', () => {
    expect(AppConfig.fromEnv({}).bounds.maxApiKeysPerUser).toBe(100);
  });
});
