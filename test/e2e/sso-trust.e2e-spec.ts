import { exportSPKI, generateKeyPair } from 'jose';
import { assembleToken, signToken, signWithSecret, withPayload } from '../support/forge-token.js';
import type { GivenOrganization } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { Sso, SSO_AUDIENCE } from '../support/sso.js';
import { TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const clock = new ManualClock(new Date());
const nowSeconds = Math.floor(clock.now().getTime() / 1000);
let sso: Sso;
let database: TestDatabase;
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  sso = await Sso.start({ alg: 'ES256' }); // new keys are made quickly
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  await sso.stop();
});

async function startApp(): Promise<void> {
  clock.set(new Date(nowSeconds * 1000));
  sso.provider.setBehaviour('normal');
  app = await TestApp.start({ clock, database, env: sso.env });
  org = await app.given.organization();
}

const getMe = (token: string) => app.withBearer(token).get('/api/v0/me');

describe('a forged token is 401', () => {
  beforeAll(startApp);
  afterAll(() => app.stop());

  const header = (change = {}) => ({ alg: 'ES256', typ: 'at+jwt', kid: sso.provider.signingKey.kid, ...change });
  const payload = (change = {}) => ({
    iss: sso.provider.issuer,
    aud: SSO_AUDIENCE,
    sub: 'mallory',
    email: 'mallory@example.com',
    email_verified: true,
    org_id: org.id,
    role: 'owner',
    iat: nowSeconds,
    exp: nowSeconds + 3600,
    ...change,
  });
  const signed = (change = {}, headers = {}) =>
    signToken(header(headers), payload(change), sso.provider.signingKey.privateKey);

  const forgeries: [string, () => Promise<string>][] = [
    ['alg none', () => Promise.resolve(assembleToken(header({ alg: 'none' }), payload(), ''))],
    ['alg none with a signature', () => Promise.resolve(assembleToken(header({ alg: 'nOnE' }), payload(), 'eA'))],
    ['no signature', async () => (await signed()).replace(/[^.]*$/, '')],
    [
      'HS256 with the public key as the secret',
      async () =>
        signWithSecret(header({ alg: 'HS256' }), payload(), await exportSPKI(sso.provider.signingKey.publicKey)),
    ],
    ['a key of somebody else', async () => signToken(header(), payload(), (await generateKeyPair('ES256')).privateKey)],
    ['an unknown key id', () => signed({}, { kid: 'unknown' })],
    ['another audience', () => signed({ aud: 'https://other.example.com' })],
    ['another issuer', () => signed({ iss: 'https://other.example.com' })],
    ['an expiry beyond the leeway', () => signed({ exp: nowSeconds - 31 })],
    ['a beginning beyond the leeway', () => signed({ nbf: nowSeconds + 32 })],
    ['no expiry', () => signed({ exp: undefined })],
    ['no subject', () => signed({ sub: undefined })],
    ['no organization', () => signed({ org_id: undefined })],
    ['a payload that was changed', async () => withPayload(await signed({ role: 'guest' }), { role: 'owner' })],
  ];

  it.each(forgeries)('with %s', async (_what, forge) => {
    const { status, headers, body } = await getMe(await forge());
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
    expect(body).toEqual({
      type: 'urn:agent-platform:problem:unauthenticated',
      title: 'Not authenticated',
      detail: 'The bearer value is not a valid API key or SSO token.',
      status: 401,
      requestId: headers['x-request-id'],
    });
  });

  it('but one without a fault, made in the same way, is not', async () => {
    expect((await getMe(await signed())).status).toBe(200);
  });

  it('also when the good token that it was made from is known already', async () => {
    const good = await signed({ role: 'guest', sub: 'known', email: 'known@example.com' });
    await getMe(good);
    expect((await getMe(withPayload(good, { role: 'owner' }))).status).toBe(401);
  });
});

describe('a token that was accepted', () => {
  beforeEach(startApp);
  afterEach(() => app.stop());

  it('is 401 once it has expired, leeway included', async () => {
    const token = await sso.token({ org_id: org.id });
    const before = await getMe(token);
    clock.advance(2 * 3600_000); // the provider has a clock of its own
    expect([before.status, (await getMe(token)).status]).toEqual([200, 401]);
  });

  it('is 401 a minute after its key was withdrawn', async () => {
    const token = await sso.token({ org_id: org.id });
    const before = await getMe(token);
    await sso.provider.rotate();
    await sso.provider.retireOldKeys();
    clock.advance(60_000);
    expect([before.status, (await getMe(token)).status]).toEqual([200, 401]);
  });
});

describe('a new key of the provider', () => {
  beforeEach(startApp);
  afterEach(() => app.stop());

  it('is accepted on first sight', async () => {
    await getMe(await sso.token({ org_id: org.id }));
    clock.advance(10_000);
    await sso.provider.rotate();
    expect((await getMe(await sso.token({ org_id: org.id }))).status).toBe(200);
  });
});

describe('while the identity provider is down', () => {
  beforeEach(startApp);
  afterEach(() => app.stop());

  it('a token is 503 with a time to wait when its keys were never fetched', async () => {
    const token = await sso.token({ org_id: org.id });
    sso.provider.setBehaviour('down');
    const { status, headers, body } = await getMe(token);
    expect([status, headers['retry-after']]).toEqual([503, '10']);
    expect(body).toMatchObject({ title: 'Temporarily unavailable', status: 503 });
  });

  it('API keys keep working when its keys were never fetched', async () => {
    sso.provider.setBehaviour('down');
    await getMe(await sso.token({ org_id: org.id }));
    expect((await app.as(org.owner).get('/api/v0/me')).status).toBe(200);
  });

  it('the token works once the provider is back', async () => {
    const token = await sso.token({ org_id: org.id });
    sso.provider.setBehaviour('down');
    await getMe(token);
    sso.provider.setBehaviour('normal');
    clock.advance(10_000);
    expect((await getMe(token)).status).toBe(200);
  });

  it.each([31_000, 61_000, 1800_000])('a known token works on %d ms after the keys were fetched', async (ms) => {
    const token = await sso.token({ org_id: org.id });
    await getMe(token);
    sso.provider.setBehaviour('down');
    clock.advance(ms);
    expect((await getMe(token)).status).toBe(200);
  });

  it('the first token of somebody new works with keys that were fetched before', async () => {
    await getMe(await sso.token({ org_id: org.id }));
    sso.provider.setBehaviour('down');
    clock.advance(61_000);
    expect((await getMe(await sso.token({ org_id: org.id }))).status).toBe(200);
  });

  it('garbage is 401 all the same', async () => {
    sso.provider.setBehaviour('down');
    expect((await getMe('garbage')).status).toBe(401);
  });
});
