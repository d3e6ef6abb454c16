import { OrganizationsService } from '../../src/modules/organization/organizations/organizations.service.js';
import type { GivenOrganization } from '../support/given.js';
import { Sso } from '../support/sso.js';
import { TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let sso: Sso;
let database: TestDatabase;
let org: GivenOrganization;
let other: GivenOrganization;
let demoId: string;
let app: TestApp;

beforeAll(async () => {
  sso = await Sso.start();
  database = await createTestDatabase();
  const founding = await TestApp.start({ database });
  org = await founding.given.organization();
  other = await founding.given.organization();
  const demo = { name: 'Demo', ownerEmail: 'owner@demo.example' };
  demoId = (await founding.nest.get(OrganizationsService).openDemo(demo)).organization.id;
  await founding.stop();
});
afterAll(async () => {
  await database.drop();
  await sso.stop();
});

/** Starts the service for the tests of this block; `env` is read late, because it may name an organization. */
function configured(env: () => Record<string, string>): void {
  beforeAll(async () => {
    app = await TestApp.start({ database, env: { ...sso.env, ...env() } });
  });
  afterAll(() => app.stop());
}

async function me(claims: Record<string, unknown>) {
  return app.withBearer(await sso.token(claims)).get('/api/v0/me');
}

describe('the organization of a token', () => {
  configured(() => ({}));

  it.each<[string, () => string]>([
    ['its id', () => org.id],
    ['its id in capitals', () => org.id.toUpperCase()],
    ['its external id', () => org.externalId],
  ])('is found by %s', async (_what, claim) => {
    expect((await me({ org_id: claim() })).body.organization).toEqual({ id: org.id, name: org.name, demo: false });
  });

  it.each<[string, () => unknown]>([
    ['the claim is absent', () => undefined],
    ['there is no such organization', () => '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'],
    ['the claim has its name', () => org.name],
    ['the claim has its external id in capitals', () => org.externalId.toUpperCase()],
    ['the organization is the demo', () => demoId],
    ['the claim is empty', () => ''],
    ['the claim is a list', () => [org.id]],
    ['the claim is a pattern', () => '%'],
    ['the claim has a NUL', () => `${org.externalId}\0`],
  ])('is not found, and the token 401, when %s', async (_what, claim) => {
    expect((await me({ org_id: claim() })).status).toBe(401);
  });
});

describe.each<[string, () => string]>([
  ['id', () => org.id],
  ['external id', () => org.externalId],
  ['name', () => org.name],
])('a default organization, given by %s', (_what, reference) => {
  configured(() => ({ JWT_DEFAULT_ORG: reference() }));

  it('is that of a token without the claim', async () => {
    expect((await me({})).body.organization.id).toBe(org.id);
  });

  it('is not that of a token with the claim', async () => {
    expect((await me({ org_id: other.externalId })).body.organization.id).toBe(other.id);
  });

  it('does not stand in for an organization that does not exist', async () => {
    expect((await me({ org_id: 'nobody' })).status).toBe(401);
  });

  it.each([[[]], [['nobody']], [7], [true], [null], [{}], [''], ['\0']])(
    'does not stand in for the claim %j, which is none',
    async (org_id) => {
      const { status, body } = await me({ org_id, role: 'owner' });
      expect([status, body.detail]).toEqual([401, expect.stringContaining('The claim "org_id" of the token must be')]);
    },
  );
});

describe('a default organization that does not exist', () => {
  configured(() => ({ JWT_DEFAULT_ORG: 'nobody' }));

  it('leaves a token without the claim a 401', async () => {
    expect((await me({})).status).toBe(401);
  });
});

describe('a default organization that is the demo', () => {
  configured(() => ({ JWT_DEFAULT_ORG: 'Demo' }));

  it('leaves a token without the claim a 401', async () => {
    expect((await me({})).status).toBe(401);
  });
});

describe('JWT_TRUST_EMAIL', () => {
  configured(() => ({ JWT_TRUST_EMAIL: 'true' }));

  it('lets an e-mail that is not verified say who somebody is', async () => {
    const { status, body } = await me({ org_id: org.id, email: org.owner.email, email_verified: false });
    expect([status, body.user.id]).toEqual([200, org.owner.id]);
  });

  it('lets an e-mail that is not verified add somebody', async () => {
    expect((await me({ org_id: org.id, email_verified: undefined })).status).toBe(200);
  });

  it('gives nobody the e-mail of a user of another organization', async () => {
    const { body } = await me({ org_id: org.id, email: other.owner.email });
    expect([body.organization.id, body.user.id === other.owner.id]).toEqual([org.id, false]);
  });
});

describe('JWT_ROLE_MAP', () => {
  configured(() => ({
    JWT_DEFAULT_ORG: org.id,
    JWT_ROLE_CLAIM: 'realm_access.roles',
    JWT_ROLE_MAP: '{"platform-admins":"owner","leads":"manager","guest":"member","__proto__":"guest"}',
  }));

  it.each([
    ['one name', 'leads', 'manager'],
    ['a list of one', ['leads'], 'manager'],
    ['the highest of several', ['guest', 'leads', 'platform-admins', 'leads'], 'owner'],
    ['a name that means something else here', 'guest', 'member'],
    ['a name that nobody mapped', ['interns'], 'member'],
    ['a role of ours that nobody mapped', ['owner', 'manager'], 'member'],
    ['a list with other things in it', [5, null, {}, ['leads'], 'leads'], 'manager'],
    ['an empty list', [], 'member'],
    ['a name that every object has', ['constructor', 'toString'], 'member'],
  ])('turns %s into a role', async (_what, roles, expected) => {
    expect((await me({ realm_access: { roles } })).body.role).toBe(expected);
  });

  it('does not look at a claim of another name', async () => {
    expect((await me({ role: 'owner', roles: ['platform-admins'] })).body.role).toBe('member');
  });
});

describe('names of claims', () => {
  configured(() => ({
    JWT_TRUST_EMAIL: 'true',
    JWT_ORG_CLAIM: 'https://example.com/tenant',
    JWT_EMAIL_CLAIM: 'contact.mail',
    JWT_ROLE_CLAIM: 'resource_access.agent-platform.role',
  }));

  it('may be addresses and may lead into objects', async () => {
    const { status, body } = await me({
      'https://example.com/tenant': org.externalId,
      contact: { mail: 'nested@example.com' },
      resource_access: { 'agent-platform': { role: 'manager' } },
    });
    expect([status, body.organization?.id, body.user?.email, body.role]).toEqual([
      200,
      org.id,
      'nested@example.com',
      'manager',
    ]);
  });

  it('replace the usual ones', async () => {
    const { status } = await me({ org_id: org.id, email: 'usual@example.com', role: 'owner' });
    expect(status).toBe(401);
  });
});

describe('an address of another claim', () => {
  configured(() => ({ JWT_EMAIL_CLAIM: 'contact.mail' }));

  it.each([
    ['the usual claim has another address', 'mine@example.com'],
    ['there is no usual claim', undefined],
  ])('is not vouched for by email_verified when %s', async (_what, email) => {
    const { status } = await me({ org_id: org.id, email, email_verified: true, contact: { mail: org.owner.email } });
    expect(status).toBe(401);
  });

  it('is vouched for when the usual claim has the same', async () => {
    const { email } = org.owner;
    const { body } = await me({ org_id: org.id, email, email_verified: true, contact: { mail: email } });
    expect(body.user.id).toBe(org.owner.id);
  });
});

describe('without SSO', () => {
  beforeAll(async () => {
    app = await TestApp.start({ database });
  });
  afterAll(() => app.stop());

  it('every token is 401', async () => {
    expect((await me({ org_id: org.id })).status).toBe(401);
  });
});
