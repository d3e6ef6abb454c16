import { OperatorCommands } from '../../src/modules/organization/operator-commands.js';
import type { ApiClient } from '../support/api-client.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const AUDIT_LOG = '/api/v0/organization/audit-log';
const EXPORT = `${AUDIT_LOG}/export`;
const clock = new ManualClock('2026-11-15T08:30:00.000Z');

interface Entry {
  id: string;
  at: string;
  action: string;
  target: string;
}

let app: TestApp;
let org: GivenOrganization;
let owner: ApiClient;
let ada: GivenUser;
let computerId: string;

beforeAll(async () => {
  app = await TestApp.start({ clock });
});
beforeEach(async () => {
  org = await app.given.organization();
  owner = app.as(org.owner);
  ada = await app.given.user(org);
  clock.advance(1_000);
  computerId = (await app.as(ada).post('/api/v0/computers', { name: 'laptop' })).body.id;
  clock.advance(1_000);
  await owner.patch(`/api/v0/organization/users/${ada.id}`, { role: 'manager' });
});
afterAll(() => app.stop());

const find = async (parameters = ''): Promise<Entry[]> =>
  (await owner.get(`${AUDIT_LOG}?limit=100${parameters && `&${parameters}`}`)).body.entries;
const actions = async (parameters: string) => (await find(parameters)).map(({ action }) => action);
const lines = async (parameters = '') => (await owner.get(`${EXPORT}${parameters}`)).text.split('\r\n');

describe('the audit log', () => {
  it('can be reduced to an actor, by id, by address in any letter case, and to operators', async () => {
    expect(await actions(`actor=${ada.id}`)).toEqual(['computer.registered']);
    expect(await actions(`actor=${encodeURIComponent(ada.email.toUpperCase())}`)).toEqual(['computer.registered']);
    const key = { email: ada.email, name: 'by hand', org: org.name, scope: 'full' as const };
    await app.nest.get(OperatorCommands).createKey(key);
    expect(await actions('actor=operator&action=api_key.created')).toContain('api_key.created');
    expect(await actions('actor=operator&action=computer')).toEqual([]);
    expect(await actions('actor=nobody@example.com')).toEqual([]);
  });

  it('can be reduced to an action and to a kind of actions', async () => {
    expect(await actions('action=user.changed')).toEqual(['user.changed']);
    expect(await actions('action=user')).toEqual(['user.changed', 'user.created', 'user.created']);
    expect(await actions('action=use')).toEqual([]);
    expect(await actions('action=user.%25')).toEqual([]);
  });

  it('can be reduced to a target and to a time', async () => {
    const [computer] = await find(`target=${computerId}`);
    expect(computer).toMatchObject({ action: 'computer.registered', target: computerId });
    const { at = '' } = computer ?? {};
    expect(await actions(`from=${at}`)).toEqual(['user.changed', 'computer.registered']);
    expect(await actions(`from=${at}&to=${clock.now().toISOString()}`)).toEqual(['computer.registered']);
    expect(await actions(`to=${at}&action=computer`)).toEqual([]);
  });

  it('is paged within a filter, and the cursor belongs to it', async () => {
    const first = await owner.get(`${AUDIT_LOG}?action=user&limit=2`);
    const cursor: string = first.body.pagination.nextCursor;
    const rest = await owner.get(`${AUDIT_LOG}?action=user&limit=2&cursor=${cursor}`);
    expect([...first.body.entries, ...rest.body.entries]).toEqual(await find('action=user'));
    expect((await owner.get(`${AUDIT_LOG}?limit=2&cursor=${cursor}`)).status).toBe(400);
  });

  it.each(['from=yesterday', 'from=2026-11-15T00:00:00Z&to=2026-11-15T00:00:00Z', 'actor=', 'action=', 'user=x'])(
    'with ?%s is 400, as a list and as a file',
    async (parameters) => {
      expect((await owner.get(`${AUDIT_LOG}?${parameters}`)).status).toBe(400);
      expect((await owner.get(`${EXPORT}?${parameters}`)).status).toBe(400);
    },
  );
});

describe('the export', () => {
  it('is a file with the entries of the list', async () => {
    const { headers } = await owner.get(EXPORT);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="audit-log.csv"',
      'cache-control': 'no-store',
    });
    const [header, ...rows] = await lines();
    expect(header).toBe('id,at,actorId,actorEmail,action,target,before,after,requestId');
    const listed = await find();
    expect(rows.filter((row) => row !== '').map((row) => row.split(',')[0])).toEqual(listed.map(({ id }) => id));
  });

  it('holds what the filter lets through, with states as JSON', async () => {
    const [, row = ''] = await lines('?action=user.changed');
    expect(row).toContain(`,${org.owner.id},${org.owner.email},user.changed,${ada.id},"{""role"":""member""`);
  });

  it('has every entry, however many there are', async () => {
    await query(
      app.database.url,
      `INSERT INTO audit_log (org_id, id, at, action, target)
       SELECT $1, gen_random_uuid(), $2, 'test.many', n::text FROM generate_series(1, 1201) n`,
      [org.id, clock.now()],
    );
    const rows = (await lines('?action=test.many')).slice(1, -1);
    expect(new Set(rows.map((row) => row.split(',')[5])).size).toBe(1201);
    expect(rows).toHaveLength(1201);
  });

  it('runs no formula in a spreadsheet', async () => {
    const name = '=HYPERLINK("http://evil.example","x")';
    await query(
      app.database.url,
      `INSERT INTO audit_log (org_id, id, at, action, target) VALUES ($1, gen_random_uuid(), $2, 'test.formula', $3)`,
      [org.id, clock.now(), name],
    );
    const [, row = ''] = await lines('?action=test.formula');
    expect(row).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`);
  });

  it('has nothing of another organization', async () => {
    const other = await app.given.organization();
    const { text } = await app.as(other.owner).get(EXPORT);
    expect([org.id, org.owner.id, ada.id].filter((mark) => text.includes(mark))).toEqual([]);
  });
});
