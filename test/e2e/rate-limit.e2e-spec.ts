import { newApiKey } from '../../src/common/validation/api-key-format.js';
import type { ApiAnswer } from '../support/api-client.js';
import type { GivenOrganization } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';

const LIMIT = 5;
const MAX_FAILURES = 100;
const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;

const start = async (env: Record<string, string>) => {
  app = await TestApp.start({ clock, env });
  org = await app.given.organization();
};
beforeEach(() => clock.advance(60_000)); // a new minute

async function times(count: number, ask: (i: number) => Promise<ApiAnswer>): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, (_, i) => ask(i)));
  return answers.map(({ status }) => status);
}

describe('the requests of one credential', () => {
  beforeAll(() => start({ RATE_LIMIT_PER_MINUTE: String(LIMIT) }));
  afterAll(() => app.stop());

  const getMe = () => app.as(org.owner).get('/api/v0/me');

  it('are told the policy and what is left', async () => {
    await getMe();
    clock.advance(15_000);
    const { headers } = await getMe();
    expect([headers['ratelimit-policy'], headers['ratelimit']]).toEqual([`"default";q=5;w=60`, `"default";r=3;t=45`]);
  });

  it('are answered up to the limit', async () => {
    expect(await times(LIMIT, getMe)).toEqual(Array<number>(LIMIT).fill(200));
  });

  it('are 429 over the limit, with the time to wait', async () => {
    await times(LIMIT, getMe);
    clock.advance(20_500);
    const { status, headers } = await getMe();
    expect([status, headers['retry-after'], headers['ratelimit']]).toEqual([429, '40', `"default";r=0;t=40`]);
  });

  it('are answered again in the next minute', async () => {
    await times(LIMIT + 1, getMe);
    clock.advance(59_999);
    const before = await getMe();
    clock.advance(1);
    const after = await getMe();
    expect([before.status, after.status]).toEqual([429, 200]);
  });

  it('do not count for another credential of the same user', async () => {
    const { body } = await app.as(org.owner).post('/api/v0/api-keys', { name: 'another' });
    await times(LIMIT, getMe);
    const { status } = await app.withBearer(body.key).get('/api/v0/me');
    expect(status).toBe(200);
  });

  it('count also when they are refused', async () => {
    await times(LIMIT, () => app.as(org.owner).get('/api/v0/api-keys?limit=x'));
    expect((await getMe()).status).toBe(429);
  });

  it('do nothing when they are over the limit', async () => {
    await times(LIMIT, getMe);
    const email = 'late@example.com';
    const { status } = await app.as(org.owner).post('/api/v0/organization/users', { email, role: 'member' });
    clock.advance(60_000);
    const { text } = await app.as(org.owner).get('/api/v0/organization/users');
    expect(status).toBe(429);
    expect(text).not.toContain(email);
  });
});

describe('wrong credentials', () => {
  beforeAll(() => start({}));
  afterAll(() => app.stop());

  const guess = () => app.withBearer(newApiKey()).get('/api/v0/me');

  it('are 401 a hundred times a minute, then 429', async () => {
    const statuses = await times(MAX_FAILURES, guess);
    const { status, headers } = await guess();
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect([status, headers['retry-after']]).toEqual([429, '60']);
  });

  it.each([
    ['no credential', () => app.withBearer(null).get('/api/v0/me')],
    ['a key with a wrong checksum', () => app.withBearer('apk_wrong').get('/api/v0/me')],
    ['a token', () => app.withBearer('a.b.c').get('/api/v0/me')],
  ])('count also with %s', async (_what, ask) => {
    await times(MAX_FAILURES, ask);
    expect((await guess()).status).toBe(429);
  });

  it('do not keep a good key at the same address from working', async () => {
    await times(MAX_FAILURES + 1, guess);
    const { status } = await app.as(org.owner).get('/api/v0/me');
    expect(status).toBe(200);
  });

  it('are 401 again in the next minute', async () => {
    await times(MAX_FAILURES + 1, guess);
    clock.advance(60_000);
    expect((await guess()).status).toBe(401);
  });

  it('are not hidden by X-Forwarded-For', async () => {
    await times(MAX_FAILURES, (i) => app.withBearer('x').get('/api/v0/me', { 'X-Forwarded-For': `203.0.113.${i}` }));
    const { status } = await app.withBearer('x').get('/api/v0/me', { 'X-Forwarded-For': '203.0.113.200' });
    expect(status).toBe(429);
  });
});

describe('wrong credentials behind a trusted proxy', () => {
  beforeAll(() => start({ TRUST_PROXY: '1' }));
  afterAll(() => app.stop());

  const guessFrom = (addresses: string) => app.withBearer('x').get('/api/v0/me', { 'X-Forwarded-For': addresses });

  it('count for the address that the proxy names', async () => {
    await times(MAX_FAILURES, () => guessFrom('203.0.113.1'));
    const same = await guessFrom('203.0.113.1');
    const another = await guessFrom('203.0.113.2');
    expect([same.status, another.status]).toEqual([429, 401]);
  });

  it('are not hidden by addresses that the client itself made up', async () => {
    await times(MAX_FAILURES, (i) => guessFrom(`198.51.100.${i}, 203.0.113.1`));
    const { status } = await guessFrom('198.51.100.200, 203.0.113.1');
    expect(status).toBe(429);
  });
});
