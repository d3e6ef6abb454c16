import { randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, inflateRaw } from 'node:zlib';
import { Role } from '../../src/common/access/role.enum.js';
import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import { AnalyticsCommands } from '../../src/modules/analytics/analytics-commands.js';
import { ErasureCommands } from '../../src/modules/erasure/erasure-commands.js';
import type { ApiAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenComputer, givenMessage, givenSession } from '../support/given-session.js';
import { aggregate, ANALYTICS, event, modelCall, report, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { Sso } from '../support/sso.js';
import type { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';
import { utcDay } from '../support/utc-day.js';

const USERS = '/api/v0/organization/users';
const [FROZEN, DAY] = ['2026-11-12', '2026-11-13'];
const RANGE = `startDate=${FROZEN}&endDate=${DAY}`;
/** Nothing else has these words in it, nor what another test left behind. */
let FIRST: string;
let LAST: string;
let EMAIL: string;

const inflate = promisify<Buffer, { finishFlush: number }, Buffer>(inflateRaw);
const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let sso: Sso;
let app: TestApp;
let org: GivenOrganization;
let bob: GivenUser;
/** Who is erased: an owner, so that there is something of theirs everywhere. */
let person: GivenUser;
let token: string;

beforeAll(async () => {
  sso = await Sso.start({ alg: 'ES256' });
  app = await startUsageApp({ clock, env: sso.env });
});
afterAll(async () => {
  await app.stop();
  await sso.stop();
});

/** An organization with somebody to erase and somebody to leave alone, both with figures. */
async function givenOrganization(): Promise<void> {
  clock.set(new Date('2026-11-15T08:30:00.000Z'));
  org = await app.given.organization();
  bob = await app.given.user(org);
  await givenPerson();
  await givenMessage(app, await givenSession(app, bob, await givenComputer(app, bob)), 'Mine');
  await report(
    app.as(org.owner),
    [FROZEN, DAY].flatMap((day) =>
      [person, bob].flatMap((user) => [modelCall(user, day), event(user, 'user_message', day)]),
    ),
  );
  await aggregate(app);
}

/** Somebody with a name, an SSO identity and traces in every table that can have some. */
async function givenPerson(): Promise<void> {
  const mark = randomBytes(4).toString('hex');
  [FIRST, LAST, EMAIL] = [`Zdenka${mark}`, `Quarková${mark}`, `Zq.Person.${mark}@erasure.example`];
  const created = await app
    .as(org.owner)
    .post(
      USERS,
      { email: EMAIL, role: Role.Owner, firstName: FIRST, lastName: LAST },
      { 'Idempotency-Key': randomUUID() },
    );
  const { id } = created.body;
  const issued = await app.as(org.owner).post('/api/v0/api-keys', { name: `Key of ${FIRST}`, userId: id });
  person = { orgId: org.id, id, email: EMAIL, role: Role.Owner, key: issued.body.key };
  clock.set(new Date());
  token = await sso.token({ sub: EMAIL, email: EMAIL, org_id: org.id });
  expect((await app.withBearer(token).get('/api/v0/me')).body.user.id).toBe(id);
  await app.as(person).put('/api/v0/organization/enterprise-controls', { commandDenylist: ['rm'] });
  const body = { name: `${FIRST}-laptop-${id.slice(-4)}`, hostname: `${LAST}.local`, remoteUser: FIRST.toLowerCase() };
  const computer = await app.as(person).post('/api/v0/computers', body);
  const session = await givenSession(app, person, computer.body.id);
  await givenMessage(app, session, `I am ${FIRST} ${LAST}, ${EMAIL}`);
  await app.as(person).post('/api/v0/computers', { name: `x-${id}` }, { 'Idempotency-Key': `of ${FIRST}` });
}

const deactivate = () => app.as(org.owner).delete(`${USERS}/${person.id}`);
const erase = (user: GivenUser = person) => app.as(org.owner).post(`${USERS}/${user.id}/erase`);
const read = (report_: string, headers?: Record<string, string>): Promise<ApiAnswer> =>
  app.as(org.owner).get(`${ANALYTICS}/${report_}?${RANGE}`, headers);

/** Every row of every table, as text, and what compressed documents hold. */
async function everything(): Promise<{ table: string; text: string }[]> {
  const tables = await query<{ name: string }>(
    app.database.url,
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
  );
  const rows = tables.map(({ name }) => `SELECT '${name}' AS table, t::text AS text FROM ${name} t`);
  const found = await query<{ table: string; text: string }>(app.database.url, rows.join(' UNION ALL '));
  const fragments = await query<{ fragment: Buffer }>(
    app.database.url,
    `SELECT d.fragment FROM day_documents d WHERE d.fragment IS NOT NULL`,
  );
  for (const { fragment } of fragments) {
    const text = (await inflate(fragment, { finishFlush: constants.Z_SYNC_FLUSH })).toString();
    found.push({ table: 'fragments', text });
  }
  return found.sort((a, b) => (a.table + a.text < b.table + b.text ? -1 : 1));
}

/** The tables in which a name or the address of the person stands. */
async function traces(): Promise<string[]> {
  const rows = await everything();
  const hasWord = ({ text }: { text: string }) =>
    [FIRST, LAST, EMAIL].some((word) => text.toLowerCase().includes(word.toLowerCase()));
  return [...new Set(rows.filter(hasWord).map(({ table }) => table.replace('public.', '')))].sort();
}

const REPORTS = ['users', 'tokens', 'activity', 'tools'];
const readAll = async () => Promise.all(REPORTS.map((name) => read(name)));

describe('erasing a deactivated user', () => {
  let tracesBefore: string[];
  let readBefore: ApiAnswer[];

  beforeAll(async () => {
    await givenOrganization();
    [tracesBefore, readBefore] = [await traces(), await readAll()];
    await deactivate();
    expect((await erase()).status).toBe(204);
  });

  it('takes name and address out of every table', async () => {
    expect(tracesBefore).toEqual(
      expect.arrayContaining([
        ...['audit_log', 'computers', 'enterprise_controls', 'fragments', 'idempotency_keys', 'messages'],
        ...['sessions', 'user_days', 'user_facts', 'user_identities', 'users'],
      ]),
    );
    expect(await traces()).toEqual([]);
  });

  it('deletes their sessions and messages, and nobody else’s', async () => {
    const rows = await query<{ userId: string }>(
      app.database.url,
      `SELECT s.user_id AS "userId" FROM sessions s WHERE s.org_id = $1
        UNION ALL SELECT m.user_id FROM messages m WHERE m.org_id = $1`,
      [org.id],
    );
    expect(rows.map(({ userId }) => userId)).toEqual([bob.id, bob.id]);
  });

  it('keeps every figure, under the id and without the address, and the addresses of others', async () => {
    const after = await readAll();
    const expected = readBefore.map(({ text }) => text.replaceAll(JSON.stringify(EMAIL), 'null'));
    expect(after.map(({ text }) => text)).toEqual(expected);
    expect(after[0]?.text).toContain(`"user_id":"${person.id}","user_email":null`);
    expect(after[0]?.text).toContain(bob.email);
  });

  it.each([
    ['users', 0],
    ['tokens', 1],
  ])('is not hidden by an answer of /%s that a client has kept', async (name, i) => {
    const kept = readBefore[i]?.headers.etag ?? '';
    const { status, headers, text } = await read(name, { 'If-None-Match': kept });
    expect([status, text.includes(EMAIL)]).toEqual([200, false]);
    expect((await read(name, { 'If-None-Match': headers.etag ?? '' })).status).toBe(304);
  });

  it('holds for compressed answers, whose checksum is right', async () => {
    const answer = await fetch(`${app.url}${ANALYTICS}/tokens?${RANGE}`, {
      headers: { Authorization: `Bearer ${org.owner.key}`, 'Accept-Encoding': 'gzip' },
    });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    const { data } = (await answer.json()) as { data: { by_user: { user_id: string; user_email: string | null }[] }[] };
    const emails = data.flatMap(({ by_user }) => by_user.map(({ user_id, user_email }) => [user_id, user_email]));
    expect(emails).toEqual(
      expect.arrayContaining([
        [person.id, null],
        [bob.id, bob.email],
      ]),
    );
    expect(emails).toHaveLength(4);
  });

  it('is an entry of the audit log that names nobody', async () => {
    const { body } = await app.as(org.owner).get('/api/v0/organization/audit-log?limit=100');
    expect(body.entries[0]).toMatchObject({ action: 'user.erased', target: person.id, actor: { id: org.owner.id } });
    const own = body.entries.filter(({ actor }: { actor?: { id: string } }) => actor?.id === person.id);
    expect(own.length).toBeGreaterThan(0);
    expect(own.every(({ actor }: { actor: { email: string } }) => actor.email === '')).toBe(true);
  });

  it('leaves a user without name and address who stays out', async () => {
    const { body } = await app.as(org.owner).get(`${USERS}/${person.id}`);
    expect(body).toMatchObject({ id: person.id, email: '', firstName: '', lastName: '', state: 'deactivated' });
    const patched = await app.as(org.owner).patch(`${USERS}/${person.id}`, { state: 'active' });
    expect([patched.status, patched.body.detail]).toEqual([409, 'This user was erased.']);
    const again = await sso.token({ sub: EMAIL, email: EMAIL, org_id: org.id });
    expect((await app.withBearer(again).get('/api/v0/me')).status).toBe(401);
  });

  it('changes nothing the second time', async () => {
    const [before, etag] = [await everything(), (await read('users')).headers.etag];
    expect((await erase()).status).toBe(204);
    expect([await everything(), (await read('users')).headers.etag]).toEqual([before, etag]);
  });

  it('finishes what was interrupted', async () => {
    await query(
      app.database.url,
      `UPDATE user_days SET body = replace(body, '"user_email":null', $2) WHERE org_id = $1 AND user_id = $3`,
      [org.id, `"user_email":${JSON.stringify(EMAIL)}`, person.id],
    );
    await erase();
    expect(await traces()).toEqual([]);
  });

  it('stays when a day is computed anew, and agrees with a recount', async () => {
    await app.nest.get(AggregationService).rebuild([org.id], utcDay(DAY));
    expect(await traces()).toEqual([]);
    expect((await read('users')).text).toContain(`"user_id":"${person.id}","user_email":null`);
    const range = { from: FROZEN, to: DAY, orgId: org.id };
    expect(await app.nest.get(AnalyticsCommands).verify(range, () => undefined)).toBe(
      'Compared 2 organization days with a recount of their raw events.\nNo differences.',
    );
  });

  it('lets somebody else have the address', async () => {
    const { status, body } = await app.as(org.owner).post(USERS, { email: EMAIL, role: 'member' });
    expect([status, body.id === person.id]).toEqual([201, false]);
  });
});

describe('somebody', () => {
  const emailOf = async () => (await app.as(org.owner).get(`${USERS}/${person.id}`)).body.email;

  beforeAll(givenOrganization);

  it('who is active is not erased', async () => {
    const { status, body } = await erase();
    expect([status, body.detail]).toEqual([409, 'This user is active; deactivate them before they are erased.']);
    expect(await emailOf()).toBe(EMAIL);
  });

  it('is not erased from another organization', async () => {
    await deactivate();
    const other = await app.given.organization();
    expect((await app.as(other.owner).post(`${USERS}/${person.id}/erase`)).status).toBe(404);
    expect(await emailOf()).toBe(EMAIL);
  });

  it('is erased from the command line, by address or id, once nobody computes days, also in days without events', async () => {
    await query(app.database.url, `UPDATE event_days SET dropped_at = now() WHERE day = $1`, [FROZEN]);
    await query(
      app.database.url,
      `INSERT INTO aggregation_claims (org_id, holder, lease_until) VALUES ($1, gen_random_uuid(), $2)
       ON CONFLICT (org_id) DO UPDATE SET lease_until = excluded.lease_until`,
      [org.id, new Date(clock.now().getTime() + 60_000)],
    );
    const commands = app.nest.get(ErasureCommands);
    const erased = commands.erase({ org: org.id, user: EMAIL.toUpperCase() });
    await eventually('their sessions are gone', async () => !(await traces()).includes('sessions'));
    // Who computes a day would write the address once more.
    expect(await traces()).toEqual(expect.arrayContaining(['users', 'user_days', 'fragments']));
    await query(app.database.url, `DELETE FROM aggregation_claims WHERE org_id = $1`, [org.id]);
    expect(await erased).toContain(`User ${person.id} is erased`);
    expect(await traces()).toEqual([]);
    expect(await commands.erase({ org: org.id, user: person.id })).toContain(`User ${person.id} is erased`);
    await expect(commands.erase({ org: org.id, user: EMAIL })).rejects.toThrow('There is no user');
  });
});
