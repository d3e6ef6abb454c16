import type { GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { type Operation, OPERATIONS, requiredQuery } from '../support/operations.js';
import { TestApp } from '../support/test-app.js';

const titled = (operations: readonly Operation[]) =>
  operations.map((operation): [string, Operation] => [`${operation.method} ${operation.path}`, operation]);
/** Browsers follow these to other pages, or sign in with them. */
const isDoor = ({ path }: Operation) => /^\/auth\/(sso|callback|session)$/.test(path);
const hasId = ({ path }: Operation) => path.includes('{');

describe('what Swagger UI fills in', () => {
  let app: TestApp;
  let owner: GivenUser;

  beforeAll(async () => {
    app = await TestApp.start({ clock: new ManualClock('2026-11-15T08:30:00.000Z') });
    owner = (await app.given.organization()).owner;
  });
  afterAll(() => app.stop());

  const plain = OPERATIONS.filter((operation) => !hasId(operation) && !isDoor(operation));

  it.each(titled(plain.filter(({ method }) => method === 'GET')))(
    '%s is answered as it stands',
    async (_, operation) => {
      const query = requiredQuery(operation);
      const { status } = await app.as(owner).get(`${operation.path}${query && `?${query}`}`);
      expect(status).toBe(200);
    },
  );

  it.each(titled(plain.filter((operation) => operation.example !== undefined)))(
    '%s takes its example, or says what is missing',
    async (_, operation) => {
      const send = app.as(owner);
      const call = operation.method === 'PUT' ? send.put.bind(send) : send.post.bind(send);
      const { status, body } = await call(operation.path, operation.example);
      if (operation.path === '/api/v0/sessions') expect(body.detail).toMatch(/computer/i);
      else expect(status).toBeLessThan(300);
    },
  );

  it.each(titled(OPERATIONS))('%s is given nothing that was never issued', (_, { parameters }) => {
    for (const { in: place, required = false, schema, example, description } of parameters) {
      const isId = place === 'path' && schema.format === 'uuid';
      if (!required || isId) expect([example, schema.example]).toEqual([undefined, undefined]);
      if (isId) expect(description).toMatch(/`GET \/api/);
    }
  });

  it.each(['/api/v0/sessions/{sessionId}/events', '/api/v0/computers/{computerId}/agent'])(
    '%s says that it cannot be executed there',
    (path) => {
      const operation = OPERATIONS.find((candidate) => candidate.path === path && candidate.method === 'GET');
      expect(operation?.description).toMatch(/^\*\*Not executable in Swagger UI\*\*/);
    },
  );

  it('has text limits only where the contract has them, with their bounds', () => {
    const limits = OPERATIONS.flatMap(({ path, parameters }) =>
      parameters.filter(({ name }) => name === 'limit').map(({ schema }) => [path, schema.type, schema.pattern]),
    );
    expect(limits.filter(([, type]) => type === 'string')).toEqual([
      ['/api/v0/organization/users', 'string', '^([1-9][0-9]?|100)$'],
      ['/api/v0/organization/enterprise-controls/history', 'string', '^([1-9][0-9]?|100)$'],
      ['/api/v0/sessions', 'string', '^([1-9][0-9]?|100)$'],
      ['/api/v0/sessions/{sessionId}/messages', 'string', '^([1-9][0-9]?|100)$'],
    ]);
  });
});

describe('the documentation', () => {
  let app: TestApp;

  beforeAll(async () => (app = await TestApp.start()));
  afterAll(() => app.stop());

  it.each(['/openapi.json', '/docs/swagger-ui.css'])(
    'travels compressed to those who accept that: %s',
    async (path) => {
      const get = (encoding: string) => fetch(`${app.url}${path}`, { headers: { 'Accept-Encoding': encoding } });
      const [zipped, plain] = await Promise.all([get('gzip'), get('identity')]);
      expect([zipped.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null]);
      expect(zipped.headers.get('vary')).toBe('Accept-Encoding');
      expect(await zipped.text()).toBe(await plain.text());
    },
  );

  it('is where the bare address leads', async () => {
    const { status, headers } = await fetch(app.url, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, '/docs']);
  });
});
