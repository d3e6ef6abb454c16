import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TeamCommands } from '../../src/modules/organization/teams/team-commands.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { auditOf, givenTeam, memberships, revisionOf, teamsOf } from '../support/given-teams.js';
import { itLong } from '../support/long.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let bob: GivenUser;
let directory: string;

beforeAll(async () => {
  app = await TestApp.start();
  directory = await mkdtemp(join(tmpdir(), 'teams-'));
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  bob = await app.given.user(org);
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true });
});

async function importText(text: string | Buffer, options: { dryRun?: boolean; org?: string } = {}): Promise<string> {
  const file = join(directory, 'teams.csv');
  await writeFile(file, text);
  return app.nest.get(TeamCommands).importFile({ org: org.name, file, ...options });
}

const lines = (...rows: string[]) => ['email,team,from,to', ...rows].join('\n');

it('creates teams, and puts people into them', async () => {
  const text = lines(
    `${ada.email},Backend,2026-01-01,2026-05-31`,
    `${ada.email},Web,2026-06-01,`,
    `${bob.email.toUpperCase()},backend,2026-02-01,`,
  );
  expect(await importText(text)).toBe(
    [
      `Imported into "${org.name}":`,
      '  2 people in the file',
      '  2 teams created: Backend, Web',
      '  3 memberships added',
      '  0 memberships removed or changed',
    ].join('\n'),
  );
  expect(await teamsOf(app, org)).toEqual({
    Backend: [
      { userId: ada.id, from: '2026-01-01', to: '2026-05-31' },
      { userId: bob.id, from: '2026-02-01' },
    ],
    Web: [{ userId: ada.id, from: '2026-06-01' }],
  });
});

it('changes nothing the second time', async () => {
  const text = lines(`${ada.email},Backend,2026-01-01,`);
  await importText(text);
  const revision = await revisionOf(app, org);
  expect(await importText(text)).toContain(
    '0 teams created\n  0 memberships added\n  0 memberships removed or changed',
  );
  expect(await revisionOf(app, org)).toBe(revision);
});

it('replaces what people in the file had, and leaves others alone', async () => {
  await givenTeam(app, org, 'Web', [
    { userId: ada.id, from: '2026-01-01' },
    { userId: bob.id, from: '2026-01-01' },
  ]);
  expect(await importText(lines(`${ada.email},Data,2026-03-01,`))).toContain('1 memberships removed or changed');
  expect(await teamsOf(app, org)).toEqual({
    Data: [{ userId: ada.id, from: '2026-03-01' }],
    Web: [{ userId: bob.id, from: '2026-01-01' }],
  });
});

it('is all or nothing', async () => {
  const text = lines(`${ada.email},Backend,2026-01-01,`, `nobody@example.com,Web,2026-01-01,`);
  await expect(importText(text)).rejects.toThrow(
    'Nothing was imported:\n  line 3: email: there is no user with the address nobody@example.com',
  );
  expect(await teamsOf(app, org)).toEqual({});
});

it('knows nobody of another organization', async () => {
  const stranger = await app.given.user(await app.given.organization());
  await expect(importText(lines(`${stranger.email},Web,2026-01-01,`))).rejects.toThrow('there is no user');
});

it('writes nothing in a dry run, and says what it would do', async () => {
  const revision = await revisionOf(app, org);
  const text = lines(`${ada.email},Backend,2026-01-01,`);
  expect(await importText(text, { dryRun: true })).toBe(
    [
      `Nothing was written; in "${org.name}", an import would change:`,
      '  1 people in the file',
      '  1 teams created: Backend',
      '  1 memberships added',
      '  0 memberships removed or changed',
    ].join('\n'),
  );
  expect([await teamsOf(app, org), await revisionOf(app, org)]).toEqual([{}, revision]);
  await expect(importText(lines('x,Backend,2026-01-01,'), { dryRun: true })).rejects.toThrow('line 2');
});

it('is in the audit log, without addresses', async () => {
  await importText(lines(`${ada.email},Backend,2026-01-01,`));
  const entries = await auditOf(app, org, 'team.');
  expect(entries.map(({ action }) => action)).toEqual(['team.members_changed', 'team.created']);
  expect(entries[0].after).toEqual({
    ...{ addedCount: 1, source: 'teams import' },
    added: [{ userId: ada.id, from: '2026-01-01', to: null }],
  });
  expect(JSON.stringify(entries)).not.toContain(ada.email);
});

it('refuses more teams than there may be', async () => {
  const rows = Array.from({ length: 1_001 }, (_, i) => {
    const day = new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10);
    return `${ada.email},Team ${i},${day},${day}`;
  });
  await expect(importText(lines(...rows))).rejects.toThrow(
    'An organization may have 1000 teams: 0 exist, 1001 would be added.',
  );
});

itLong('refuses more memberships in a team than there may be', async () => {
  const team = await givenTeam(app, org, 'Backend');
  await memberships(app, org, team, 19_999);
  const text = (last: string) =>
    lines(`${ada.email},Backend,2026-01-01,2026-01-31`, `${ada.email},${last},2026-03-01,`);
  await expect(importText(text('backend'), { dryRun: true })).rejects.toThrow(
    'A team may have 20000 memberships; "Backend" would have 20001.',
  );
  await expect(importText(text('Web'))).resolves.toContain('2 memberships added');
});

it('says when there is no such file, or no text in it', async () => {
  const file = join(directory, 'no-such-file.csv');
  const commands = app.nest.get(TeamCommands);
  await expect(commands.importFile({ org: org.name, file })).rejects.toThrow(`${file} cannot be read: ENOENT`);
  await expect(commands.importFile({ org: org.name, file: directory })).rejects.toThrow('cannot be read: EISDIR');
  await expect(importText(Buffer.from([0xff, 0xfe, 0x41]))).rejects.toThrow('is not text in UTF-8.');
  await expect(importText('')).rejects.toThrow('The first line has to be the header');
});
