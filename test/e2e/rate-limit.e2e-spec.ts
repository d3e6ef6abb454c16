import { randomUUID } from 'node:crypto';
import { newApiKey } from '../../src/common/access/api-key-format.js';
import { ApiKeysRepository } from '../../src/modules/organization/api-keys/api-keys.repository.js';
import { OrganizationsService } from '../../src/modules/organization/organizations/organizations.service.js';
import type { ApiAnswer } from '../support/api-client.js';
import type { GivenOrganization } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { statusWithin } from '../support/within.js';

const LIMIT = 5;
const MAX_REFUSED = 10;
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

  it('may be refused for a hundred different credentials a minute unless something else is configured', async () => {
    const statuses = await times(101, guess);
    expect([statuses.filter((status) => status === 401).length, statuses.includes(429)]).toEqual([100, true]);
  });
});

/** Counts the look-ups of API keys in the database. */
function countLookUps(): () => number {
  const repository = app.nest.get(ApiKeysRepository);
  const original = repository.findByHash.bind(repository);
  let count = 0;
  repository.findByHash = (...parameters) => {
    count++;
    return original(...parameters);
  };
  return () => count;
}

const guess = () => app.withBearer(newApiKey()).get('/api/v0/me');

describe('wrong credentials, with a limit of ten,', () => {
  let lookUps: () => number;
  let before: number;

  beforeAll(async () => {
    await start({ MAX_REFUSED_PER_MINUTE: String(MAX_REFUSED) });
    lookUps = countLookUps();
  });
  beforeEach(() => (before = lookUps()));
  afterAll(() => app.stop());

  it('are 401 ten times a minute, then 429', async () => {
    const statuses = await times(MAX_REFUSED, guess);
    const { status, headers, body } = await guess();
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect([status, headers['retry-after'], headers['ratelimit']]).toEqual([429, '60', '"default";r=0;t=60']);
    expect(body.detail).toBe('At most 10 different credentials a minute may be refused from one address.');
  });

  it('tell how many more may be refused', async () => {
    await times(3, guess);
    const { headers } = await guess();
    expect([headers['ratelimit-policy'], headers['ratelimit']]).toEqual(['"default";q=10;w=60', '"default";r=6;t=60']);
  });

  it('cost no look-up over the limit, however many come at once', async () => {
    const statuses = await times(4 * MAX_REFUSED, guess);
    expect(lookUps() - before).toBe(MAX_REFUSED);
    expect(statuses.filter((status) => status === 401)).toHaveLength(MAX_REFUSED);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3 * MAX_REFUSED);
  });

  it.each([
    ['a key with a wrong checksum', (i: number) => app.withBearer(`apk_wrong${i}`).get('/api/v0/me')],
    ['a token', (i: number) => app.withBearer(`a.b.c${i}`).get('/api/v0/me')],
  ])('count also with %s', async (_what, ask) => {
    await times(MAX_REFUSED, ask);
    expect([(await guess()).status, lookUps() - before]).toEqual([429, 0]);
  });

  it('do not count when none was shown', async () => {
    const statuses = await times(MAX_REFUSED + 1, () => app.withBearer(null).get('/api/v0/me'));
    expect([...new Set(statuses), (await guess()).status]).toEqual([401, 401]);
  });

  it('count once when the same comes again, and are looked up once', async () => {
    const key = newApiKey();
    const statuses = await times(2 * MAX_REFUSED, () => app.withBearer(key).get('/api/v0/me'));
    expect([new Set(statuses), lookUps() - before]).toEqual([new Set([401]), 1]);
    expect((await guess()).headers['ratelimit']).toBe('"default";r=8;t=60');
  });

  it('are looked up again after ten seconds', async () => {
    const key = newApiKey();
    await app.withBearer(key).get('/api/v0/me');
    clock.advance(10_000);
    await app.withBearer(key).get('/api/v0/me');
    expect(lookUps() - before).toBe(2);
  });

  it('that come again are still 401 when others have used up the limit', async () => {
    const key = newApiKey();
    await app.withBearer(key).get('/api/v0/me');
    await times(MAX_REFUSED, guess);
    clock.advance(10_000);
    const { status } = await app.withBearer(key).get('/api/v0/me');
    expect([status, lookUps() - before]).toEqual([401, MAX_REFUSED]);
  });

  it('work at once when they become good', async () => {
    const key = newApiKey();
    await app.withBearer(key).get('/api/v0/me');
    await app.nest.get(OrganizationsService).create({ name: randomUUID(), ownerEmail: 'o@example.com', apiKey: key });
    expect(await statusWithin(1_000, 200, () => app.withBearer(key).get('/api/v0/me'))).toBe(200);
  });

  it('do not keep a key at the same address from working that did so before', async () => {
    await app.as(org.owner).get('/api/v0/me');
    await times(MAX_REFUSED + 1, guess);
    await app.as(org.owner).patch(`/api/v0/organization/users/${org.owner.id}`, { role: 'owner' }); // forgets who that is
    const { status } = await app.as(org.owner).get('/api/v0/me');
    expect(status).toBe(200);
  });

  it('keep a good key at the same address waiting that was never seen', async () => {
    const { body } = await app.as(org.owner).post('/api/v0/api-keys', { name: 'new' });
    await times(MAX_REFUSED, guess);
    const during = await app.withBearer(body.key).get('/api/v0/me');
    clock.advance(60_000);
    const after = await app.withBearer(body.key).get('/api/v0/me');
    expect([during.status, after.status]).toEqual([429, 200]);
  });

  it('do not keep good keys out that come at once for the first time', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, i) => app.as(org.owner).post('/api/v0/api-keys', { name: `${i}` })),
    );
    await times(MAX_REFUSED - 2, guess);
    const statuses = await times(made.length, (i) => app.withBearer(made[i]?.body.key).get('/api/v0/me'));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('are 401 for a key that was good and is revoked', async () => {
    const { body } = await app.as(org.owner).post('/api/v0/api-keys', { name: 'short-lived' });
    await app.withBearer(body.key).get('/api/v0/me');
    await app.as(org.owner).delete(`/api/v0/api-keys/${body.id}`);
    expect(await statusWithin(1_000, 401, () => app.withBearer(body.key).get('/api/v0/me'))).toBe(401);
  });

  it('are 401 again in the next minute', async () => {
    await times(MAX_REFUSED + 1, guess);
    clock.advance(60_000);
    expect((await guess()).status).toBe(401);
  });

  it('are not hidden by X-Forwarded-For', async () => {
    await times(MAX_REFUSED, (i) => app.withBearer(`x${i}`).get('/api/v0/me', { 'X-Forwarded-For': `203.0.113.${i}` }));
    const { status } = await app.withBearer('x').get('/api/v0/me', { 'X-Forwarded-For': '203.0.113.200' });
    expect(status).toBe(429);
  });
});

describe('wrong credentials behind a trusted proxy', () => {
  const FEW = 5;
  beforeAll(() => start({ TRUST_PROXY: '1', MAX_REFUSED_PER_MINUTE: String(FEW) }));
  afterAll(() => app.stop());

  const guessFrom = (addresses: string) =>
    app.withBearer(newApiKey()).get('/api/v0/me', { 'X-Forwarded-For': addresses });

  it('count for the address that the proxy names, up to the limit that is configured', async () => {
    const statuses = await times(FEW, () => guessFrom('203.0.113.1'));
    const same = await guessFrom('203.0.113.1');
    const another = await guessFrom('203.0.113.2');
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect([same.status, another.status]).toEqual([429, 401]);
  });

  it('are not hidden by addresses that the client itself made up', async () => {
    await times(FEW, (i) => guessFrom(`198.51.100.${i}, 203.0.113.1`));
    const { status } = await guessFrom('198.51.100.200, 203.0.113.1');
    expect(status).toBe(429);
  });

  it('count together for the addresses of one IPv6 network', async () => {
    await times(FEW, (i) => guessFrom(`2001:db8:0:7:${i}::${i}`));
    const same = await guessFrom('2001:db8:0:7:ffff:ffff:ffff:ffff');
    const another = await guessFrom('2001:db8:0:8::1');
    expect([same.status, another.status]).toEqual([429, 401]);
  });
});
