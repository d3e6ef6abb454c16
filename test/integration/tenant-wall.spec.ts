import pg from 'pg';
import { DatabaseService } from '../../src/database/database.service.js';
import { poolOf } from '../../src/database/driver-internals.js';
import { OrgDatabase } from '../../src/database/org-database.js';
import { grantRequestRole, REQUEST_ROLE_GRANTS } from '../../src/database/request-role.js';
import { SystemDatabase } from '../../src/database/system-database.js';
import { enableRowLevelSecurity } from '../../src/database/row-level-security.js';
import type { GivenOrganization } from '../support/given.js';
import { TestApp } from '../support/test-app.js';

const READABLE_TABLES = Object.keys(REQUEST_ROLE_GRANTS).filter((table) => mayRead(table));
const UNREADABLE_TABLES = Object.keys(REQUEST_ROLE_GRANTS).filter((table) => !mayRead(table));

describe('the tenant wall', () => {
  let app: TestApp;
  let db: OrgDatabase;
  let ours: GivenOrganization;
  let theirs: GivenOrganization;

  beforeAll(async () => {
    app = await TestApp.start({ env: { DATABASE_POOL_SIZE: '2' } });
    db = app.nest.get(OrgDatabase);
    ours = await app.given.organization();
    theirs = await app.given.organization();
  });
  afterAll(() => app.stop());

  it.each(READABLE_TABLES)('shows only the own organization in %s to a query without any WHERE', async (table) => {
    const column = table === 'organizations' ? 'id' : 'org_id';
    const read = await db.read<{ org: string }>(ours.id, `SELECT DISTINCT ${column} AS org FROM ${table}`);
    const inTransaction = await db.transaction(ours.id, (tx) =>
      tx.query<{ org: string }>(`SELECT DISTINCT ${column} AS org FROM ${table}`),
    );

    expect(read.filter(({ org }) => org !== ours.id)).toEqual([]);
    expect(inTransaction).toEqual(read);
  });

  it.each(['organizations', 'users', 'api_keys', 'api_key_directory'])(
    'shows nothing of %s to a connection without an organization',
    async (table) => {
      const pool = poolOf(app.nest.get(DatabaseService).request);
      await expect(pool.query(`SELECT * FROM ${table}`)).resolves.toMatchObject({ rows: [] });
    },
  );

  it('reads nothing when the preamble fails before the statement', async () => {
    const client = await poolOf(app.nest.get(DatabaseService).request).connect();
    const [preamble, rows] = await Promise.allSettled([
      client.query(`BEGIN; SET LOCAL app.org_id = ${ours.id}`), // not quoted: a syntax error
      client.query('SELECT * FROM users'),
      client.query('COMMIT'),
    ]);
    client.release(true);

    expect(preamble.status).toBe('rejected');
    expect(rows).toMatchObject({ status: 'fulfilled', value: { rows: [] } });
  });

  it('refuses an organization id that is not a UUID before anything is sent', async () => {
    await expect(db.read(`${ours.id}'; RESET ROLE; --`, 'SELECT 1')).rejects.toThrow('UUID');
  });

  it('forgets the organization with the end of each transaction', async () => {
    await db.read(ours.id, 'SELECT 1');
    await db.transaction(ours.id, (tx) => tx.query('SELECT 1'));
    const pool = poolOf(app.nest.get(DatabaseService).request);

    const settings = await Promise.all(
      [1, 2].map(() => pool.query<{ org: string | null }>(`SELECT current_setting('app.org_id', true) AS org`)),
    );

    expect(settings.flatMap(({ rows }) => rows.map((row) => row.org ?? ''))).toEqual(['', '']);
  });

  it('refuses to write rows of another organization', async () => {
    const insert = db.transaction(ours.id, (tx) =>
      tx.query(`INSERT INTO user_credit_limits VALUES ($1, $2, 1, now())`, [theirs.id, theirs.owner.id]),
    );
    await expect(insert).rejects.toThrow('row-level security');
  });

  it('changes no rows of another organization', async () => {
    const changed = await db.transaction(ours.id, (tx) =>
      tx.query(`UPDATE users SET role = 'guest' WHERE id = $1 RETURNING id`, [theirs.owner.id]),
    );
    expect(changed).toEqual([]);
  });

  it('keeps two organizations apart over a thousand interleaved reads on two connections', async () => {
    const isOwn = async (i: number) => {
      const org = i % 2 === 0 ? ours : theirs;
      const rows = await db.read<{ id: string }>(org.id, 'SELECT id FROM users');
      return rows.every(({ id }) => id === org.owner.id) && rows.length === 1;
    };
    const seen = new Set<boolean>();
    // Ten at a time: who waits too long for a connection is turned away, and a busy machine is slow.
    for (let i = 0; i < 1000; i += 10) {
      for (const own of await Promise.all(Array.from({ length: 10 }, (_, j) => isOwn(i + j)))) seen.add(own);
    }
    expect(seen).toEqual(new Set([true]));
  });

  it.each(UNREADABLE_TABLES)('lets no request read %s, not even the rows of its own organization', async (table) => {
    await expect(db.read(ours.id, `SELECT 1 FROM ${table}`)).rejects.toThrow('permission denied');
  });

  it('gives the request role no way into the tables of the system', async () => {
    await expect(db.read(ours.id, 'SELECT * FROM job_runs')).rejects.toThrow('permission denied');
    await expect(db.read(ours.id, 'SELECT * FROM schema_migrations')).rejects.toThrow('permission denied');
    await expect(db.read(ours.id, 'SELECT * FROM event_days')).rejects.toThrow('permission denied');
  });

  it('lets requests reach a partition only through its parent', async () => {
    const owner = app.nest.get(DatabaseService).owner.createQueryRunner();
    await owner.query(`CREATE TABLE things (org_id uuid NOT NULL, day date NOT NULL, PRIMARY KEY (org_id, day))
                       PARTITION BY RANGE (day)`);
    await enableRowLevelSecurity(owner, 'things');
    await owner.query(`CREATE TABLE things_2026 PARTITION OF things FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')`);
    await owner.query(`INSERT INTO things VALUES ($1, '2026-02-03'), ($2, '2026-02-03')`, [ours.id, theirs.id]);
    await owner.query(`GRANT SELECT ON things TO ${app.database.appRole}`);

    await expect(db.read(ours.id, 'SELECT org_id FROM things')).resolves.toEqual([{ org_id: ours.id }]);
    await expect(db.read(ours.id, 'SELECT * FROM things_2026')).rejects.toThrow('permission denied');

    await grantAnew(); // a table that this version does not know may be a newer one's
    await expect(db.read(ours.id, 'SELECT org_id FROM things')).resolves.toHaveLength(1);
    await owner.query('DROP TABLE things');
    await owner.release();
  });

  it('takes what the list does not name away again, unless a newer version has migrated the database', async () => {
    const owner = app.nest.get(DatabaseService).owner.createQueryRunner();
    const mayDelete = async () => {
      const sql = `SELECT has_table_privilege($1, 'audit_log', 'DELETE') AS may`;
      const [row] = (await owner.query(sql, [app.database.appRole])) as { may: boolean }[];
      return row?.may;
    };
    await owner.query(`GRANT DELETE ON audit_log TO ${app.database.appRole}`);
    await owner.query(
      `INSERT INTO schema_migrations (timestamp, name) VALUES (9999999999999, 'OfTheFuture9999999999999')`,
    );
    await grantAnew();
    expect(await mayDelete()).toBe(true);

    await owner.query(`DELETE FROM schema_migrations m WHERE m.timestamp = 9999999999999`);
    await grantAnew();
    expect(await mayDelete()).toBe(false);
    await owner.release();
  });

  it('gives requests back the rights that an older version took away at its start', async () => {
    const owner = app.nest.get(DatabaseService).owner.createQueryRunner();
    await owner.query(`REVOKE ALL ON users, readiness_reports FROM ${app.database.appRole}`);
    await owner.release();

    const reads = Array.from({ length: 8 }, () => db.read(ours.id, 'SELECT u.id FROM users u'));
    expect((await Promise.all(reads)).every((rows) => rows.length > 0)).toBe(true);
    const write = db.transaction(ours.id, (tx) => tx.query('SELECT 1 FROM readiness_reports r'));
    await expect(write).resolves.toEqual([]);
  });

  async function grantAnew(): Promise<void> {
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await grantRequestRole(client, app.database.appRole);
    await client.end();
  }

  it('gives transactions of the owner time limits, so that a lost one holds no lock for long', async () => {
    const limits = await app.nest.get(SystemDatabase).transaction((tx) =>
      tx.query<{ name: string; setting: string }>(
        `SELECT s.name, s.setting FROM pg_settings s
          WHERE s.name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') ORDER BY s.name`,
      ),
    );
    expect(limits.map(({ setting }) => Number(setting))).toEqual([30_000, 5_000, 10_000]);
  });

  it('refuses to open when request connections would not be the request role', async () => {
    const url = new URL(app.database.url);
    const other = TestApp.start({ database: app.database, env: { DATABASE_APP_URL: url.toString() } });
    await expect(other).rejects.toThrow(/have to be ".+" without BYPASSRLS/);
  });

  it('repeats a transaction that lost against another one', async () => {
    let attempts = 0;
    const result = await db.transaction(ours.id, async (tx) => {
      attempts++;
      if (attempts < 3) await tx.query(`DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'; END $$`);
      return attempts;
    });
    expect(result).toBe(3);
  });
});

function mayRead(table: string): boolean {
  return (REQUEST_ROLE_GRANTS[table] ?? '').includes('SELECT');
}
