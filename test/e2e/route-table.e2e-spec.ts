import { randomUUID } from 'node:crypto';
import { ALL_ROLES, type Role } from '../../src/common/access/role.enum.js';
import { describeRoutes } from '../../src/common/access/route-table.js';
import { newApiKey } from '../../src/common/validation/api-key-format.js';
import type { ApiClient } from '../support/api-client.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { documentedPaths } from '../support/openapi.js';
import { TestApp } from '../support/test-app.js';

/** The whole access policy: method, path, roles, credentials. A route that is not in here fails this file. */
const POLICY = [
  'GET /api/v0/api-keys | owner manager member | key jwt',
  'POST /api/v0/api-keys | owner manager member | key jwt',
  'DELETE /api/v0/api-keys/:keyId | owner manager member | key jwt',
  'GET /api/v0/me | owner manager member guest | key jwt',
  'GET /api/v0/organization/users | owner manager member | key jwt',
  'POST /api/v0/organization/users | owner | key jwt',
  'DELETE /api/v0/organization/users/:userId | owner | key jwt',
  'GET /api/v0/organization/users/:userId | owner manager member | key jwt',
  'PATCH /api/v0/organization/users/:userId | owner | key jwt',
  'GET /health/live | public',
  'GET /health/ready | public',
];

/** A valid body for each route that takes one, so that nothing but access can be the reason of a refusal. */
const BODIES: Record<string, () => object> = {
  'POST /api/v0/api-keys': () => ({ name: 'matrix' }),
  'POST /api/v0/organization/users': () => ({ email: `${randomUUID()}@example.com`, role: 'member' }),
  'PATCH /api/v0/organization/users/:userId': () => ({ role: 'member' }),
};

interface PolicyLine {
  readonly route: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly roles: readonly Role[] | 'public';
}

const lines = POLICY.map((line): PolicyLine => {
  const [route = '', roles = ''] = line.split(' | ');
  const [method = '', path = ''] = route.split(' ');
  return {
    route,
    method: method.toLowerCase() as PolicyLine['method'],
    path,
    roles: roles === 'public' ? 'public' : (roles.split(' ') as Role[]),
  };
});
const guarded = lines.filter((line) => line.roles !== 'public');

/** Calls the route with valid input; ids in the path are `id`. */
async function call(
  client: ApiClient,
  { route, method, path }: PolicyLine,
  id: string = randomUUID(),
): Promise<number> {
  const { status } = await client.send(method, path.replace(/:\w+/g, id), BODIES[route]?.());
  return status;
}

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

describe('the route table', () => {
  it('grants each route to exactly these roles', () => {
    expect(describeRoutes(app.nest)).toEqual(POLICY);
  });

  it('has the same routes as the API document', () => {
    const documented = documentedPaths().flatMap(([path, methods]) => methods.map((m) => `${m.toUpperCase()} ${path}`));
    const routes = lines.map(({ route }) => route.replace(/:(\w+)/g, '{$1}'));
    expect(documented.sort()).toEqual(routes.sort());
  });

  it('has every route of the server, apart from the documentation', () => {
    const server = app.nest.getHttpAdapter().getInstance();
    const served = [...server.methodsByPath].flatMap(([path, methods]) => [...methods].map((m) => `${m} ${path}`));
    const undocumented = served.filter((route) => !/^HEAD | \/docs(\/|$)| \/openapi\.json$/.test(route));
    expect(undocumented.sort()).toEqual(lines.map(({ route }) => route).sort());
  });
});

describe('over HTTP', () => {
  let org: GivenOrganization;
  let other: GivenOrganization;
  const users = new Map<Role, GivenUser>();

  beforeAll(async () => {
    org = await app.given.organization();
    other = await app.given.organization();
    for (const role of ALL_ROLES) users.set(role, await app.given.user(org, { role }));
  });

  const clientOf = (role: Role) => app.withBearer(users.get(role)?.key ?? null);
  const withRoles = guarded.flatMap((line) =>
    ALL_ROLES.map((role) => ({ ...line, role, allowed: line.roles.includes(role) })),
  );

  it.each(withRoles.filter(({ allowed }) => allowed))('$route is open to the role $role', async (line) => {
    const status = await call(clientOf(line.role), line);
    expect([200, 201, 204, 404]).toContain(status);
  });

  it.each(withRoles.filter(({ allowed }) => !allowed))('$route is 403 for the role $role', async (line) => {
    expect(await call(clientOf(line.role), line)).toBe(403);
  });

  it.each(guarded)('$route is 401 without a credential', async (line) => {
    expect(await call(app.withBearer(null), line)).toBe(401);
  });

  it.each(guarded)('$route is 401 with garbage for a credential', async (line) => {
    expect(await call(app.withBearer('garbage'), line)).toBe(401);
  });

  it.each(guarded)('$route is 401 with a key whose checksum is wrong', async (line) => {
    const { key } = org.owner;
    expect(await call(app.withBearer(key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')), line)).toBe(401);
  });

  it.each(guarded)('$route is 401 with a key that nobody has', async (line) => {
    expect(await call(app.withBearer(newApiKey()), line)).toBe(401);
  });

  it.each(guarded.filter(({ path }) => path.includes(':')))(
    '$route is 404 for the owner of another organization, with an id that exists',
    async (line) => {
      const { body } = await app.as(org.owner).get('/api/v0/api-keys?limit=1');
      const ids: Record<string, string> = { ':userId': org.owner.id, ':keyId': body.apiKeys[0].id };
      const id = ids[/:\w+/.exec(line.path)?.[0] ?? ''];
      if (id === undefined) throw new Error(`Say in this test which id ${line.path} takes.`);
      expect(await call(app.as(other.owner), line, id)).toBe(404);
    },
  );

  it.each(lines.filter(({ roles }) => roles === 'public'))('$route is open without a credential', async (line) => {
    expect(await call(app.withBearer(null), line)).toBe(200);
  });
});
