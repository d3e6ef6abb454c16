import { Role } from '../../src/common/access/role.enum.js';
import { newApiKey } from '../../src/common/access/api-key-format.js';
import { DatabaseService } from '../../src/database/database.service.js';
import type { GivenOrganization } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { sendBytes } from '../support/raw-http.js';
import { TestApp } from '../support/test-app.js';
import { statusWithin } from '../support/within.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  org = await app.given.organization();
});
beforeEach(() => clock.advance(60_000)); // a new minute for refused credentials
afterAll(() => app.stop());

/** Asks who is calling with exactly these header lines. */
function getMe(lines: string[]) {
  return sendBytes(app.url, ['GET /api/v0/me HTTP/1.1', 'Host: localhost', ...lines, '', ''].join('\r\n'));
}

/** The same key with another last character. */
function mistyped(key: string): string {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
}

describe('a request without a credential', () => {
  it.each([
    ['no Authorization header', []],
    ['an empty Authorization header', ['Authorization: ']],
    ['another scheme', ['Authorization: Basic b3duZXI6c2VjcmV0']],
    ['the scheme alone', ['Authorization: Bearer']],
    ['the scheme and a space', ['Authorization: Bearer ']],
  ])('is 401 and asks for a bearer: %s', async (_what, headers) => {
    const answer = await getMe(headers);
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
  });

  it('is answered with a problem that says what to send', async () => {
    const { headers, body } = await app.withBearer(null).get('/api/v0/me');
    expect(body).toEqual({
      type: 'urn:agent-platform:problem:unauthenticated',
      title: 'Not authenticated',
      detail: 'Send an API key or an SSO token in the header "Authorization: Bearer <value>".',
      status: 401,
      requestId: headers['x-request-id'],
    });
  });
});

describe('a good key', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('is accepted with the scheme written %s', async (scheme) => {
    const { status } = await app.withBearer(null).get('/api/v0/me', { Authorization: `${scheme} ${org.owner.key}` });
    expect(status).toBe(200);
  });

  it.each([
    ['twice', (key: string) => [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`]],
    ['after another credential', (key: string) => ['Authorization: Basic eA==', `authorization: Bearer ${key}`]],
    ['before another credential', (key: string) => [`Authorization: Bearer ${key}`, 'AUTHORIZATION: Bearer x']],
    ['with more behind it', (key: string) => [`Authorization: Bearer ${key} ${key}`]],
    ['with a comma behind it', (key: string) => [`Authorization: Bearer ${key}, Basic eA==`]],
    ['without its scheme', (key: string) => [`Authorization: ${key}`]],
    ['as Basic', (key: string) => [`Authorization: Basic ${btoa(`${key}:`)}`]],
    ['in a cookie', (key: string) => [`Cookie: access_token=${key}`]],
    ['in X-API-Key', (key: string) => [`X-API-Key: ${key}`]],
    ['in Proxy-Authorization', (key: string) => [`Proxy-Authorization: Bearer ${key}`]],
  ])('is not accepted %s', async (_how, headers) => {
    const { status } = await getMe(headers(org.owner.key));
    expect(status).toBe(401);
  });

  it.each(['access_token', 'api_key', 'apiKey', 'token'])('is not accepted as ?%s=', async (parameter) => {
    const { status } = await app.withBearer(null).get(`/api/v0/me?${parameter}=${org.owner.key}`);
    expect(status).toBe(401);
  });

  it.each([
    ['JSON', 'application/json', (key: string) => JSON.stringify({ access_token: key, name: 'x' })],
    ['a form', 'application/x-www-form-urlencoded', (key: string) => `access_token=${key}`],
  ])('is not accepted in a body of %s', async (_what, type, body) => {
    const headers = { 'Content-Type': type };
    const { status } = await app.withBearer(null).post('/api/v0/api-keys', body(org.owner.key), headers);
    expect(status).toBe(401);
  });

  it('carries the role that its user has now', async () => {
    const user = await app.given.user(org, { role: Role.Guest });
    const listUsers = () => app.as(user).get('/api/v0/organization/users');
    const before = await listUsers();
    await app.as(org.owner).patch(`/api/v0/organization/users/${user.id}`, { role: 'manager' });
    expect([before.status, await statusWithin(1_000, 200, listUsers)]).toEqual([403, 200]);
  });
});

describe('a refused key', () => {
  it('is answered as invalid, not as missing', async () => {
    const { status, headers } = await app.withBearer(newApiKey()).get('/api/v0/me');
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
  });

  it('has the same answer whether its checksum is wrong or nobody has it', async () => {
    const wrong = await app.withBearer(mistyped(org.owner.key)).get('/api/v0/me');
    const unknown = await app.withBearer(newApiKey()).get('/api/v0/me');
    expect(wrong.body).toEqual({ ...unknown.body, requestId: wrong.body.requestId });
  });

  it('does not appear in its answer', async () => {
    const key = newApiKey();
    const { text, headers } = await app.withBearer(key).get('/api/v0/me');
    expect(text + JSON.stringify(headers)).not.toContain(key);
  });

  it('is one that has expired before its first use', async () => {
    const { body: created } = await createKeyThatEndsInAnHour();
    clock.advance(3600_000);
    const { status } = await app.withBearer(created.key).get('/api/v0/me');
    expect(status).toBe(401);
  });

  it('is one that expires between two uses, from that very millisecond', async () => {
    const { body: created } = await createKeyThatEndsInAnHour();
    clock.advance(3600_000 - 1);
    const before = await app.withBearer(created.key).get('/api/v0/me');
    clock.advance(1);
    const after = await app.withBearer(created.key).get('/api/v0/me');
    expect([before.status, after.status]).toEqual([200, 401]);
  });

  function createKeyThatEndsInAnHour() {
    const expiresAt = new Date(clock.now().getTime() + 3600_000).toISOString();
    return app.as(org.owner).post('/api/v0/api-keys', { name: 'short', expiresAt });
  }
});

describe('a key with a wrong checksum', () => {
  it('is refused without the database, which an unknown key needs', async () => {
    const cutOff = await TestApp.start();
    await cutOff.nest.get(DatabaseService).close();

    const wrong = await cutOff.withBearer(mistyped(newApiKey())).get('/api/v0/me');
    const unknown = await cutOff.withBearer(newApiKey()).get('/api/v0/me');
    await cutOff.stop();

    expect([wrong.status, unknown.status]).toEqual([401, 503]);
  });
});
