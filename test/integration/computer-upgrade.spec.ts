import { DataSource } from 'typeorm';
import { connectionTargets } from '../../src/database/connection-settings.js';
import { ComputerAccess1769080000000 } from '../../src/database/migrations/1769080000000-computer-access.js';
import { ComputerTokens1769080001000 } from '../../src/database/migrations/1769080001000-computer-tokens.js';
import { TurnsOfMessages1769080002000 } from '../../src/database/migrations/1769080002000-turns-of-messages.js';
import { migrate } from '../../src/database/migrator.js';
import { Role } from '../../src/common/access/role.enum.js';
import { givenComputer, givenSession, givenSharedComputer } from '../support/given-session.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const OWN = [new TurnsOfMessages1769080002000(), new ComputerTokens1769080001000(), new ComputerAccess1769080000000()];

/** The database as the version before this one has left it. */
async function takeBack(url: string): Promise<void> {
  const database = await new DataSource({ type: 'postgres', url }).initialize();
  const runner = database.createQueryRunner();
  for (const migration of OWN) await migration.down(runner);
  await runner.query(`DELETE FROM schema_migrations WHERE name = ANY ($1)`, [OWN.map(({ name }) => name)]);
  await runner.release();
  await database.destroy();
}

describe('a database of the version before', () => {
  it('keeps what is used open, makes the rest private, trusts what owners registered, and says so', async () => {
    const app = await TestApp.start();
    const org = await app.given.organization();
    const [ada, bob, manager] = [
      await app.given.user(org),
      await app.given.user(org),
      await app.given.user(org, { role: Role.Manager }),
    ];
    const computers = {
      own: (await givenSession(app, ada)).computerId,
      used: await givenSharedComputer(app, ada),
      ofOwner: await givenComputer(app, org.owner),
      ofOwnerUsed: await givenSharedComputer(app, org.owner),
      ofManager: await givenComputer(app, manager),
    };
    await givenSession(app, bob, computers.used);
    await givenSession(app, bob, computers.ofOwnerUsed);
    await takeBack(app.database.url);

    const said: string[] = [];
    const config = { url: app.database.url, appUrl: null, directUrl: null, appRole: app.database.appRole, poolSize: 1 };
    await migrate(connectionTargets(config, app.database.url), (line) => said.push(line));

    const rows = await query<{ id: string; state: string }>(
      app.database.url,
      `SELECT id, access || CASE WHEN trusted THEN ' trusted' ELSE '' END AS state FROM computers WHERE org_id = $1`,
      [org.id],
    );
    const states = Object.fromEntries(rows.map(({ id, state }) => [id, state]));
    expect(Object.entries(computers).map(([what, id]) => [what, states[id]])).toEqual([
      ['own', 'private'],
      ['used', 'organization'],
      ['ofOwner', 'private trusted'],
      ['ofOwnerUsed', 'organization trusted'],
      ['ofManager', 'private'],
    ]);
    const noteOf = (id: string) => said.find((line) => line.includes(id));
    expect(noteOf(computers.own)).toMatch(/is private .*nobody else has sessions there; it is not trusted/);
    expect(noteOf(computers.used)).toMatch(/is open to the organization, because others have sessions there/);
    expect(noteOf(computers.ofOwner)).toMatch(
      /is private .*; it is trusted with secrets, because an owner registered it/,
    );
    expect(said.filter((line) => line.startsWith('Computer '))).toHaveLength(5);
    await app.stop();
  });
});
