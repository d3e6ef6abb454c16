import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: GivenOrganization;
let guest: GivenUser;

beforeAll(async () => {
  app = await TestApp.start();
  org = await app.given.organization();
  guest = await app.given.user(org, { role: Role.Guest });
});
afterAll(() => app.stop());

describe('who is calling is decided before the input is looked at', () => {
  const badInputs: [string, (client: ApiClient) => Promise<ApiAnswer>][] = [
    ['malformed JSON', (client) => client.post('/api/v0/api-keys', '{"name":')],
    ['an unknown field', (client) => client.post('/api/v0/api-keys', { nickname: 'x' })],
    ['no body', (client) => client.post('/api/v0/api-keys')],
    ['another media type', (client) => client.post('/api/v0/api-keys', 'x', { 'Content-Type': 'text/plain' })],
    ['a body of two megabytes', (client) => client.post('/api/v0/api-keys', `"${'x'.repeat(2 * 1024 * 1024)}"`)],
    ['a bad Idempotency-Key', (client) => client.post('/api/v0/api-keys', { name: 'x' }, { 'Idempotency-Key': '' })],
    ['an unknown parameter', (client) => client.get('/api/v0/organization/users?colour=red')],
    ['a bad limit', (client) => client.get('/api/v0/api-keys?limit=0')],
    ['a damaged cursor', (client) => client.get('/api/v0/api-keys?cursor=x')],
    ['an escape that is not UTF-8', (client) => client.get('/api/v0/api-keys?limit=%ff')],
    ['an id that is none', (client) => client.get('/api/v0/organization/users/none')],
    ['an id of nobody', (client) => client.get(`/api/v0/organization/users/${randomUUID()}`)],
  ];

  it.each(badInputs)('%s without a credential is 401', async (_what, send) => {
    expect((await send(app.withBearer(null))).status).toBe(401);
  });

  it.each(badInputs)('%s of a guest is 403', async (_what, send) => {
    expect((await send(app.as(guest))).status).toBe(403);
  });

  it.each(badInputs)('%s of an owner is neither', async (_what, send) => {
    expect([400, 404, 413, 415]).toContain((await send(app.as(org.owner))).status);
  });
});

describe('an object of another organization', () => {
  let foreignUser: GivenUser;
  let foreignKeyId: string;

  beforeAll(async () => {
    const other = await app.given.organization();
    foreignUser = await app.given.user(other);
    const { body } = await app.as(foreignUser).get('/api/v0/api-keys');
    foreignKeyId = body.apiKeys[0].id;
  });

  const attempts: [string, (id: string) => Promise<ApiAnswer>, () => string][] = [
    ['reading a user', (id) => app.as(org.owner).get(`/api/v0/organization/users/${id}`), () => foreignUser.id],
    [
      'changing a user',
      (id) => app.as(org.owner).patch(`/api/v0/organization/users/${id}`, { role: 'guest' }),
      () => foreignUser.id,
    ],
    ['deactivating a user', (id) => app.as(org.owner).delete(`/api/v0/organization/users/${id}`), () => foreignUser.id],
    ['revoking a key', (id) => app.as(org.owner).delete(`/api/v0/api-keys/${id}`), () => foreignKeyId],
    [
      'creating a key for a user',
      (userId) => app.as(org.owner).post('/api/v0/api-keys', { name: 'x', userId }),
      () => foreignUser.id,
    ],
  ];

  it.each(attempts)('looks like one that does not exist: %s', async (_what, attempt, foreignId) => {
    const id = foreignId();
    const randomId = randomUUID();
    const foreign = await attempt(id);
    const unknown = await attempt(randomId);

    expect(foreign.status).toBe(404);
    expect(foreign.text.replaceAll(id, 'ID').replace(foreign.body.requestId, 'REQUEST')).toBe(
      unknown.text.replaceAll(randomId, 'ID').replace(unknown.body.requestId, 'REQUEST'),
    );
    expect(Object.keys(foreign.headers)).toEqual(Object.keys(unknown.headers));
  });

  it('is as it was after all these attempts', async () => {
    for (const [, attempt, foreignId] of attempts) await attempt(foreignId());
    const { status, body } = await app.as(foreignUser).get('/api/v0/api-keys');
    expect([status, body.apiKeys.length]).toEqual([200, 1]);
  });

  it('is in none of the lists', async () => {
    const { text: users } = await app.as(org.owner).get('/api/v0/organization/users?limit=100');
    const { text: keys } = await app.as(org.owner).get('/api/v0/api-keys?limit=100');
    expect(users + keys).not.toContain(foreignUser.id);
  });
});
