import { randomUUID } from 'node:crypto';
import { ALL_ROLES, Role } from '../../src/common/access/role.enum.js';
import { describeRoutes } from '../../src/http/server/route-table.js';
import { newApiKey } from '../../src/common/access/api-key-format.js';
import type { ApiClient } from '../support/api-client.js';
import { givenReport, newReport } from '../support/given-report.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { everyNth } from '../support/long.js';
import { ManualClock } from '../support/manual-clock.js';
import { documentedPaths } from '../support/openapi.js';
import { TestBrowser } from '../support/test-browser.js';
import { TestApp } from '../support/test-app.js';

/** The whole access policy: method, path, roles, credentials. A route that is not in here fails this file. */
const POLICY = [
  'GET /api/organization/agent-readiness-reports | owner manager member | key jwt cookie',
  'POST /api/organization/agent-readiness-reports | owner manager member | key jwt cookie',
  'GET /api/organization/agent-readiness-reports/:reportId | owner manager member | key jwt cookie',
  'GET /api/organization/maturity-level-reports | owner manager member | key jwt cookie',
  'POST /api/organization/maturity-level-reports | owner manager member | key jwt cookie',
  'GET /api/organization/maturity-level-reports/:reportId | owner manager member | key jwt cookie',
  'GET /api/organization/readiness/criteria | owner manager member | key jwt cookie',
  'GET /api/organization/readiness/criteria/:criterion | owner manager member | key jwt cookie',
  'GET /api/organization/readiness/repositories | owner manager member | key jwt cookie',
  'POST /api/otlp/v1/logs | owner manager member | key jwt telemetry-key',
  'POST /api/otlp/v1/metrics | owner manager member | key jwt telemetry-key',
  'POST /api/otlp/v1/traces | owner manager member | key jwt telemetry-key',
  'GET /api/v0/api-keys | owner manager member | key jwt cookie',
  'POST /api/v0/api-keys | owner manager member | key jwt cookie',
  'DELETE /api/v0/api-keys/:keyId | owner manager member | key jwt cookie',
  'GET /api/v0/computers | owner manager member | key jwt cookie',
  'POST /api/v0/computers | owner manager member | key jwt cookie',
  'DELETE /api/v0/computers/:computerId | owner manager member | key jwt cookie',
  'GET /api/v0/computers/:computerId | owner manager member | key jwt cookie',
  'PATCH /api/v0/computers/:computerId | owner manager member | key jwt cookie',
  'GET /api/v0/computers/:computerId/access | owner manager member | key jwt cookie',
  'PUT /api/v0/computers/:computerId/access | owner manager member | key jwt cookie',
  'GET /api/v0/computers/:computerId/agent | owner manager member | key jwt computer-token',
  'GET /api/v0/computers/:computerId/client | owner manager member | key jwt cookie',
  'POST /api/v0/computers/:computerId/token | owner manager member | key jwt cookie',
  'GET /api/v0/computers/name/:name | owner manager member | key jwt cookie',
  'GET /api/v0/computers/presence | owner manager member | key jwt cookie',
  'DELETE /api/v0/demo | owner | key jwt cookie',
  'GET /api/v0/demo | owner | key jwt cookie',
  'POST /api/v0/demo | owner | key jwt cookie',
  'POST /api/v0/demo/link | owner | key jwt cookie',
  'GET /api/v0/events | owner manager member | key jwt cookie',
  'GET /api/v0/me | owner manager member guest | key jwt cookie',
  'DELETE /api/v0/me/sessions | owner manager member guest | key jwt cookie',
  'GET /api/v0/me/sessions | owner manager member guest | key jwt cookie',
  'DELETE /api/v0/me/sessions/:consoleSessionId | owner manager member guest | key jwt cookie',
  'GET /api/v0/me/usage | owner manager member | key jwt cookie',
  'GET /api/v0/models | owner manager member | key jwt cookie',
  'GET /api/v0/organization/audit-log | owner | key jwt cookie',
  'GET /api/v0/organization/audit-log/export | owner | key jwt cookie',
  'GET /api/v0/organization/enterprise-controls | owner manager | key jwt cookie',
  'PUT /api/v0/organization/enterprise-controls | owner | key jwt cookie',
  'GET /api/v0/organization/enterprise-controls/history | owner manager | key jwt cookie',
  'GET /api/v0/organization/members | owner manager | key jwt cookie',
  'GET /api/v0/organization/prices | owner | key jwt cookie',
  'PUT /api/v0/organization/prices | owner | key jwt cookie',
  'POST /api/v0/organization/prices/preview | owner | key jwt cookie',
  'GET /api/v0/organization/sessions | owner manager | key jwt cookie',
  'GET /api/v0/organization/sessions/:sessionId/messages | owner | key jwt cookie',
  'GET /api/v0/organization/settings | owner | key jwt cookie',
  'PUT /api/v0/organization/settings | owner | key jwt cookie',
  'GET /api/v0/organization/teams | owner manager | key jwt cookie',
  'POST /api/v0/organization/teams | owner | key jwt cookie',
  'DELETE /api/v0/organization/teams/:teamId | owner | key jwt cookie',
  'PATCH /api/v0/organization/teams/:teamId | owner | key jwt cookie',
  'PUT /api/v0/organization/teams/:teamId/members | owner | key jwt cookie',
  'GET /api/v0/organization/usage/limits/users | owner manager | key jwt cookie',
  'PUT /api/v0/organization/usage/limits/users | owner manager | key jwt cookie',
  'GET /api/v0/organization/users | owner manager member | key jwt cookie',
  'POST /api/v0/organization/users | owner | key jwt cookie',
  'DELETE /api/v0/organization/users/:userId | owner | key jwt cookie',
  'GET /api/v0/organization/users/:userId | owner manager member | key jwt cookie',
  'PATCH /api/v0/organization/users/:userId | owner | key jwt cookie',
  'POST /api/v0/organization/users/:userId/erase | owner | key jwt cookie',
  'GET /api/v0/sessions | owner manager member | key jwt cookie',
  'POST /api/v0/sessions | owner manager member | key jwt cookie',
  'DELETE /api/v0/sessions/:sessionId | owner manager member | key jwt cookie',
  'GET /api/v0/sessions/:sessionId | owner manager member | key jwt cookie',
  'PATCH /api/v0/sessions/:sessionId | owner manager member | key jwt cookie',
  'GET /api/v0/sessions/:sessionId/events | owner manager member | key jwt cookie',
  'POST /api/v0/sessions/:sessionId/interrupt | owner manager member | key jwt cookie',
  'GET /api/v0/sessions/:sessionId/messages | owner manager member | key jwt cookie',
  'POST /api/v0/sessions/:sessionId/messages | owner manager member | key jwt cookie',
  'GET /api/v0/sessions/:sessionId/messages/:messageId | owner manager member | key jwt cookie',
  'PUT /api/v0/sessions/:sessionId/title | owner manager member | key jwt cookie',
  'GET /api/v0/sessions/search | owner manager member | key jwt cookie',
  'GET /api/v0/telemetry/refusals | owner manager member | key jwt cookie',
  'GET /api/v0/telemetry/sources | owner manager member | key jwt cookie',
  'GET /api/v0/version | owner manager member guest | key jwt cookie',
  'GET /api/v1/analytics/activity | owner manager | key jwt cookie',
  'GET /api/v1/analytics/breakdown | owner manager | key jwt cookie',
  'GET /api/v1/analytics/completeness | owner manager | key jwt cookie',
  'GET /api/v1/analytics/people/:userId | owner manager | key jwt cookie',
  'GET /api/v1/analytics/productivity | owner manager | key jwt cookie',
  'GET /api/v1/analytics/summary | owner manager | key jwt cookie',
  'GET /api/v1/analytics/today | owner manager | key jwt cookie',
  'GET /api/v1/analytics/tokens | owner manager | key jwt cookie',
  'GET /api/v1/analytics/tools | owner manager | key jwt cookie',
  'GET /api/v1/analytics/users | owner manager | key jwt cookie',
  'POST /api/v1/ingest/events | owner manager member | key jwt telemetry-key',
  'GET /auth/callback | public',
  'GET /auth/methods | public',
  'POST /auth/return | public',
  'POST /auth/session | public',
  'POST /auth/sign-out | public',
  'GET /auth/sso | public',
  'GET /health/live | public',
  'GET /health/ready | public',
];

/** What a stranger without cookies is answered: without SSO its routes do not exist, and only own pages sign in and out. */
const PUBLIC_ANSWERS: Record<string, number> = {
  'GET /auth/callback': 404,
  'POST /auth/return': 403,
  'POST /auth/session': 403,
  'POST /auth/sign-out': 403,
  'GET /auth/sso': 404,
};

/** A valid body for each route that takes one, so that nothing but access can be the reason of a refusal. */
const BODIES: Record<string, () => object> = {
  'POST /api/organization/agent-readiness-reports': newReport,
  'POST /api/organization/maturity-level-reports': newReport,
  'POST /api/v0/api-keys': () => ({ name: 'matrix' }),
  'POST /api/v0/organization/users': () => ({ email: `${randomUUID()}@example.com`, role: 'member' }),
  'PATCH /api/v0/organization/users/:userId': () => ({ role: 'member' }),
  'POST /api/v0/organization/teams': () => ({ name: randomUUID() }),
  'PATCH /api/v0/organization/teams/:teamId': () => ({ name: randomUUID() }),
  'PUT /api/v0/organization/teams/:teamId/members': () => ({ members: [] }),
  'PUT /api/v0/organization/enterprise-controls': () => ({}),
  'PUT /api/v0/organization/prices': () => ({ prices: [] }),
  'POST /api/v0/organization/prices/preview': () => ({ prices: [] }),
  'PUT /api/v0/organization/settings': () => ({ sessionContentAccess: 'owners' }),
  'PUT /api/v0/organization/usage/limits/users': () => ({ users: [{ email: 'nobody@example.com', limit: 1 }] }),
  'POST /api/v0/computers': () => ({ name: randomUUID() }),
  'PATCH /api/v0/computers/:computerId': () => ({ remoteUser: 'ci' }),
  'PUT /api/v0/computers/:computerId/access': () => ({ access: 'private' }),
  'POST /api/v0/sessions': () => ({ computerId: randomUUID() }),
  'PATCH /api/v0/sessions/:sessionId': () => ({ sessionSettings: {} }),
  'PUT /api/v0/sessions/:sessionId/title': () => ({ title: 'Hello' }),
  'POST /api/v0/sessions/:sessionId/messages': () => ({ text: 'Hello' }),
  'POST /auth/session': () => ({ apiKey: newApiKey() }),
  'POST /api/v1/ingest/events': () => ({ events: [] }),
  'POST /api/otlp/v1/logs': () => ({ resourceLogs: [] }),
  'POST /api/otlp/v1/metrics': () => ({ resourceMetrics: [] }),
  'POST /api/otlp/v1/traces': () => ({ resourceSpans: [] }),
};

/** What routes need in their query, for the same reason. */
const DAY = '?startDate=2026-11-14&endDate=2026-11-14';
const QUERIES: Record<string, string> = {
  'GET /api/v0/sessions/search': '?q=word',
  'GET /api/v0/me/usage': DAY,
  'GET /api/v1/analytics/activity': DAY,
  'GET /api/v1/analytics/completeness': DAY,
  'GET /api/v1/analytics/breakdown': `${DAY}&dimension=model&metric=cost`,
  'GET /api/v1/analytics/people/:userId': DAY,
  'GET /api/v1/analytics/summary': DAY,
  'GET /api/v1/analytics/productivity': DAY,
  'GET /api/v1/analytics/tokens': DAY,
  'GET /api/v1/analytics/tools': DAY,
  'GET /api/v1/analytics/users': DAY,
};

interface PolicyLine {
  readonly route: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly roles: readonly Role[] | 'public';
  readonly credentials: readonly string[];
}

const lines = POLICY.map((line): PolicyLine => {
  const [route = '', roles = '', credentials = ''] = line.split(' | ');
  const [method = '', path = ''] = route.split(' ');
  return {
    route,
    method: method.toLowerCase() as PolicyLine['method'],
    path,
    roles: roles === 'public' ? 'public' : (roles.split(' ') as Role[]),
    credentials: credentials.split(' '),
  };
});
const guarded = lines.filter((line) => line.roles !== 'public');

/** Calls the route with valid input; without `ids`, those in the path belong to nothing. */
async function call(
  client: Pick<ApiClient, 'send'>,
  { route, method, path }: PolicyLine,
  ids?: Record<string, string>,
): Promise<number> {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids ? ids[name] : randomUUID();
    if (id === undefined) throw new Error(`Say in this test which ${name} ${path} takes.`);
    return id;
  });
  const { status } = await client.send(method, filled + (QUERIES[route] ?? ''), BODIES[route]?.());
  return status;
}

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;

beforeAll(async () => {
  // The demo, which a route fills, is short.
  app = await TestApp.start({ clock, env: { ANALYTICS_FIRST_DAY: '2026-11-14' } });
});
// Wrong credentials are counted by the minute.
beforeEach(() => clock.advance(1_000));
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
    const undocumented = served.filter(
      (route) => !/^HEAD | \/$| \/docs(\/|$)| \/openapi\.json$| \/console(\/\*)?$/.test(route),
    );
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

  it.each(everyNth(3, guarded))('$route is 401 with garbage for a credential', async (line) => {
    expect(await call(app.withBearer('garbage'), line)).toBe(401);
  });

  it.each(everyNth(3, guarded, 1))('$route is 401 with a key whose checksum is wrong', async (line) => {
    const { key } = org.owner;
    expect(await call(app.withBearer(key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')), line)).toBe(401);
  });

  it.each(everyNth(3, guarded, 2))('$route is 401 with a key that nobody has', async (line) => {
    expect(await call(app.withBearer(newApiKey()), line)).toBe(401);
  });

  it('only the routes that say so are open to a key of an owner that is limited to telemetry', async () => {
    const { body } = await app.as(org.owner).post('/api/v0/api-keys', { name: 'agent', scope: 'telemetry' });
    const open: string[] = [];
    for (const line of guarded) {
      const status = await call(app.withBearer(body.key), line);
      if (status !== 403) open.push(`${line.route} ${status}`);
    }
    const scoped = POLICY.filter((line) => line.endsWith('telemetry-key'));
    expect(open).toEqual(scoped.map((line) => `${line.split(' | ')[0]} 200`));
  });

  describe('with a computer token', () => {
    let token: string;
    let ids: Record<string, string>;

    beforeAll(async () => {
      const owner = app.as(org.owner);
      const { body: computer } = await owner.post('/api/v0/computers', { name: 'with a token' });
      token = (await owner.post(`/api/v0/computers/${computer.id}/token`)).body.token;
      ids = { userId: org.owner.id, computerId: computer.id, name: computer.name };
    });

    const closed = guarded.filter(({ credentials }) => !credentials.includes('computer-token'));

    it.each(closed)('$route is 403, whatever the role of its user', async (line) => {
      const known = Object.fromEntries(
        [...line.path.matchAll(/:(\w+)/g)].map(([, id = '']) => [id, ids[id] ?? randomUUID()]),
      );
      expect(await call(app.withBearer(token), line, known)).toBe(403);
    });

    it('opens nothing but the socket of its computer', () => {
      const open = guarded.filter((line) => !closed.includes(line));
      expect(open.map(({ route }) => route)).toEqual(['GET /api/v0/computers/:computerId/agent']);
    });
  });

  describe('for the owner of another organization', () => {
    let ids: Record<string, string>;

    beforeAll(async () => {
      const owner = app.as(org.owner);
      const { body: keys } = await owner.get('/api/v0/api-keys?limit=1');
      const { body: computer } = await owner.post('/api/v0/computers', { name: 'theirs' });
      const { body: session } = await owner.post('/api/v0/sessions', { computerId: computer.id });
      const { body: message } = await owner.post(`/api/v0/sessions/${session.sessionId}/messages`, { text: 'Hello' });
      ids = {
        userId: org.owner.id,
        keyId: keys.apiKeys[0].id,
        computerId: computer.id,
        name: computer.name,
        sessionId: session.sessionId,
        messageId: message.messageId,
        reportId: (await givenReport(app, org.owner)).reportId,
        teamId: (await owner.post('/api/v0/organization/teams', { name: 'theirs' })).body.id,
        consoleSessionId: (await TestBrowser.signedIn(app, org.owner)).sessionId,
        criterion: 'lint_config',
      };
    });

    it.each(guarded.filter(({ path }) => path.includes(':')))('$route is 404 with ids that exist', async (line) => {
      expect(await call(app.as(other.owner), line, ids)).toBe(404);
    });
  });

  it.each(lines.filter(({ roles }) => roles === 'public'))('$route needs no credential', async (line) => {
    expect(await call(app.withBearer(null), line)).toBe(PUBLIC_ANSWERS[line.route] ?? 200);
  });

  describe('with the cookie of a browser', () => {
    const browsers = new Map<Role, TestBrowser>();

    beforeAll(async () => {
      for (const user of users.values()) browsers.set(user.role, await TestBrowser.signedIn(app, user));
    });

    const browserOf = (role: Role) => browsers.get(role) ?? new TestBrowser(app);
    const isOpen = ({ credentials }: PolicyLine) => credentials.includes('cookie');
    const endsOwn = ({ route }: PolicyLine) => route === 'DELETE /api/v0/me/sessions';

    const open = withRoles.filter((line) => isOpen(line) && !endsOwn(line));

    it.each(open.filter(({ allowed }) => allowed))('$route is open to the role $role', async (line) => {
      expect([200, 201, 204, 404]).toContain(await call(browserOf(line.role), line));
    });

    it.each(open.filter(({ allowed }) => !allowed))('$route is 403 for the role $role', async (line) => {
      expect(await call(browserOf(line.role), line)).toBe(403);
    });

    it.each(guarded.filter((line) => !isOpen(line)))('$route is 401: it takes no cookie', async (line) => {
      expect(await call(browserOf(Role.Owner), line)).toBe(401);
    });

    it('only routes of machines take none', () => {
      const closed = guarded.filter((line) => !isOpen(line)).map(({ route }) => route);
      expect(closed).toEqual([
        'POST /api/otlp/v1/logs',
        'POST /api/otlp/v1/metrics',
        'POST /api/otlp/v1/traces',
        'GET /api/v0/computers/:computerId/agent',
        'POST /api/v1/ingest/events',
      ]);
    });
  });
});
