import { randomUUID } from 'node:crypto';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { auditOf, givenTeam, revisionOf, TEAMS, teamsOf } from '../support/given-teams.js';
import { itLong } from '../support/long.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let bob: GivenUser;
let backend: string;

beforeAll(async () => {
  app = await TestApp.start({ clock });
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  bob = await app.given.user(org);
  backend = await givenTeam(app, org, 'Backend');
});
afterAll(() => app.stop());

const put = (members: unknown, team = backend) => app.as(org.owner).put(`${TEAMS}/${team}/members`, { members });

describe('replacing the members of a team', () => {
  it('shows them by first day, and may be sent back as it was shown', async () => {
    const members = [
      { userId: ada.id, from: '2026-03-01' },
      { userId: bob.id, from: '2025-01-01', to: '2025-12-31' },
      { userId: bob.id, from: '2026-01-01', to: '2026-01-01' },
    ];
    const { status, body } = await put(members);
    expect([status, body]).toEqual([
      200,
      { id: backend, name: 'Backend', members: [members[1], members[2], members[0]] },
    ]);
    expect((await put(body.members)).body).toEqual(body);
    expect(await teamsOf(app, org)).toEqual({ Backend: body.members });
  });

  it('takes null for no last day, and ids in capitals', async () => {
    const { body } = await put([{ userId: ada.id.toUpperCase(), from: '2026-03-01', to: null }]);
    expect(body.members).toEqual([{ userId: ada.id, from: '2026-03-01' }]);
  });

  it('forgets whoever is not in the list', async () => {
    await put([{ userId: ada.id, from: '2026-03-01' }]);
    await put([{ userId: bob.id, from: '2026-03-01' }]);
    expect(await teamsOf(app, org)).toEqual({ Backend: [{ userId: bob.id, from: '2026-03-01' }] });
    expect((await put([])).body.members).toEqual([]);
  });

  it('takes deactivated users', async () => {
    await app.as(org.owner).delete(`/api/v0/organization/users/${ada.id}`);
    expect((await put([{ userId: ada.id, from: '2026-03-01' }])).status).toBe(200);
  });

  itLong(
    'takes 20,000 at once, and replaces them',
    async () => {
      const sql = `INSERT INTO users (org_id, id, role, created_at)
      SELECT $1, gen_random_uuid(), 'member', now() FROM generate_series(1, 20000) n RETURNING id`;
      const users = await query<{ id: string }>(app.database.url, sql, [org.id]);
      const members = users.map(({ id }) => ({ userId: id, from: '2026-01-01', to: '2026-12-31' }));
      expect((await put(members)).body.members).toHaveLength(20_000);
      const moved = members.map((member) => ({ ...member, from: '2026-02-01' }));
      const { status, body } = await put(moved);
      expect([status, body.members.length, body.members[0].from]).toEqual([200, 20_000, '2026-02-01']);
      const [entry] = await auditOf(app, org, 'team.members_changed');
      expect([entry.before.removedCount, entry.before.removed.length, entry.after.addedCount]).toEqual([
        20_000, 100, 20_000,
      ]);
    },
    30_000,
  );
});

describe('nobody is in a team twice on a day', () => {
  it.each([
    ['the same days', '2026-03-01', undefined, '2026-03-01', undefined, '2026-03-01'],
    ['the last day of the other', '2026-03-01', '2026-03-10', '2026-03-10', undefined, '2026-03-10'],
    ['days within the other', '2026-03-01', undefined, '2026-05-01', '2026-05-02', '2026-05-01'],
  ])('in one list: %s is 400 and names both places', async (_what, from, to, from2, to2, day) => {
    const { status, body } = await put([
      { userId: ada.id, from, to },
      { userId: bob.id, from },
      { userId: ada.id, from: from2, to: to2 },
    ]);
    expect([status, body.errors]).toEqual([
      400,
      [{ field: 'members.2', message: `the user "${ada.id}" is in the list on ${day} already, in members.0` }],
    ]);
  });

  it.each([
    ['2026-03-01', undefined, '2026-04-01'],
    ['2026-06-30', '2026-07-01', '2026-06-30'],
    ['2026-04-01', '2026-04-01', '2026-04-01'],
  ])('in two teams: from %s to %s is 409 and names person, day and team', async (from, to, day) => {
    const web = await givenTeam(app, org, 'Web', [{ userId: ada.id, from: '2026-04-01', to: '2026-06-30' }]);
    const { status, body } = await put([
      { userId: bob.id, from },
      { userId: ada.id, from, to },
    ]);
    expect([status, body.detail]).toEqual([
      409,
      expect.stringContaining(`${ada.email} is in the team "Web" on ${day}`),
    ]);
    expect(await teamsOf(app, org)).toMatchObject({ Backend: [] });
    expect(web).not.toBe(backend);
  });

  it('but may change on the day after, and come back', async () => {
    await givenTeam(app, org, 'Web', [{ userId: ada.id, from: '2026-04-01', to: '2026-06-30' }]);
    const { status } = await put([
      { userId: ada.id, from: '2026-01-01', to: '2026-03-31' },
      { userId: ada.id, from: '2026-07-01' },
    ]);
    expect(status).toBe(200);
  });

  it('even when two owners put them into different teams at the same time', async () => {
    const web = await givenTeam(app, org, 'Web');
    const member = [{ userId: ada.id, from: '2026-04-01' }];
    const answers = await Promise.all([put(member), put(member, web), put(member), put(member, web)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const members = Object.values(await teamsOf(app, org)).flat();
    expect(members).toEqual(member);
  });
});

describe('what cannot be a member', () => {
  it.each<[string, unknown, string]>([
    ['no list', 'ada', 'members'],
    ['an object', {}, 'members'],
    ['null', null, 'members'],
    ['an entry that is no object', ['ada'], 'members.0'],
    ['an entry that is null', [null], 'members.0'],
    ['an entry that is a list', [[]], 'members.0'],
    ['no user', [{ from: '2026-01-01' }], 'members.0.userId'],
    ['an address for a user', [{ userId: 'ada@example.com', from: '2026-01-01' }], 'members.0.userId'],
    ['no first day', [{ userId: randomUUID() }], 'members.0.from'],
    ['a number for a day', [{ userId: randomUUID(), from: 20260101 }], 'members.0.from'],
    ['a day that is none', [{ userId: randomUUID(), from: '2026-02-30' }], 'members.0.from'],
    ['the year 0', [{ userId: randomUUID(), from: '0000-01-01' }], 'members.0.from'],
    ['the last century', [{ userId: randomUUID(), from: '1999-12-31' }], 'members.0.from'],
    ['an instant for a day', [{ userId: randomUUID(), from: '2026-01-01T00:00:00Z' }], 'members.0.from'],
    ['an empty last day', [{ userId: randomUUID(), from: '2026-01-01', to: '' }], 'members.0.to'],
    ['an end before the start', [{ userId: randomUUID(), from: '2026-01-02', to: '2026-01-01' }], 'members.0.to'],
    ['an unknown field', [{ userId: randomUUID(), from: '2026-01-01', email: 'x' }], 'members.0.email'],
  ])('%s is 400 and names the field', async (_what, members, field) => {
    const { status, body } = await put(members);
    expect([status, body.errors[0].field]).toEqual([400, field]);
  });

  it('more than 20,000 are 400', async () => {
    const { status, body } = await put(Array(20_001).fill({ userId: ada.id, from: '2026-01-01' }));
    expect([status, body.errors[0].message]).toEqual([400, 'must be a list of at most 20000 objects']);
  });

  it('thousands of wrong entries are answered with the first 50', async () => {
    const { status, body } = await put(Array(20_000).fill({}));
    expect([status, body.errors.length]).toEqual([400, 50]);
  });

  it('a body above 4 MiB is 413', async () => {
    expect((await put([{ userId: 'x'.repeat(4 * 1024 * 1024), from: '' }])).status).toBe(413);
  });

  it('somebody who does not exist, or is of another organization, is 404', async () => {
    const stranger = await app.given.user(await app.given.organization());
    for (const userId of [randomUUID(), stranger.id]) {
      const { status, body } = await put([
        { userId: ada.id, from: '2026-01-01' },
        { userId, from: '2026-01-01' },
      ]);
      expect([status, body.detail]).toEqual([404, `There is no user "${userId}".`]);
    }
    expect(await teamsOf(app, org)).toEqual({ Backend: [] });
  });

  it('an unknown team is 404', async () => {
    expect((await put([], randomUUID())).status).toBe(404);
  });
});

it('a change of members is in the audit log, without addresses, and makes the revision grow once', async () => {
  await put([{ userId: ada.id, from: '2026-01-01' }]);
  const before = await revisionOf(app, org);
  const members = [
    { userId: ada.id, from: '2026-01-01', to: '2026-06-30' },
    { userId: bob.id, from: '2026-01-01' },
  ];
  await put(members);
  expect(await revisionOf(app, org)).toBe(before + 1);
  const [entry] = await auditOf(app, org, 'team.members_changed');
  expect(entry).toMatchObject({
    actor: { id: org.owner.id },
    target: backend,
    before: { removedCount: 1, removed: [{ userId: ada.id, from: '2026-01-01', to: null }] },
    after: {
      addedCount: 2,
      added: [
        { userId: ada.id, to: '2026-06-30' },
        { userId: bob.id, to: null },
      ],
    },
  });
  await put(members);
  expect(await revisionOf(app, org)).toBe(before + 1);
});
