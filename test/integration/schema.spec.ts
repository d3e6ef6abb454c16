import { REQUEST_ROLE_GRANTS } from '../../src/database/request-role.js';
import { TABLE_OWNERS } from '../../src/database/table-owners.js';
import { createTestDatabase, query, type TestDatabase } from '../support/test-database.js';

/** Tables that belong to no organization. Everything else is tenant data. */
const SYSTEM_TABLES = ['event_days', 'job_runs', 'replicas', 'schema_migrations'];
/** The one table that is looked up before the organization is known. */
const DIRECTORY = 'api_key_directory';
/** Its rows are in partitions, each with a unique index of its own (see `event-storage.spec.ts`). */
const PARTITIONED = ['events'];

describe('the schema', () => {
  let database: TestDatabase;
  let tables: string[];

  beforeAll(async () => {
    database = await createTestDatabase();
    const rows = await query<{ name: string }>(
      database.url,
      `SELECT c.relname AS name FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
    );
    tables = rows.map(({ name }) => name).filter((name) => !SYSTEM_TABLES.includes(name));
  });
  afterAll(() => database.drop());

  it('has a decision on what requests may do for every tenant table', () => {
    expect(tables).toEqual(Object.keys(REQUEST_ROLE_GRANTS).sort());
  });

  it('has an owner for every table', () => {
    expect([...tables, ...SYSTEM_TABLES].sort()).toEqual(Object.keys(TABLE_OWNERS).sort());
  });

  it('has those that are referred to before those that refer, so that an organization can be removed', async () => {
    const keys = await query<{ child: string; parent: string }>(
      database.url,
      `SELECT k.conrelid::regclass::text AS child, k.confrelid::regclass::text AS parent
         FROM pg_constraint k WHERE k.contype = 'f' AND k.confdeltype <> 'c' AND k.conparentid = 0`,
    );
    const order = Object.keys(TABLE_OWNERS);
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.filter(({ child, parent }) => order.indexOf(child) < order.indexOf(parent))).toEqual([]);
  });

  it('has row-level security with a policy on every tenant table, and never forced', async () => {
    const walls = await query<{ name: string; walled: boolean }>(
      database.url,
      `SELECT c.relname AS name, c.relrowsecurity AND NOT c.relforcerowsecurity
              AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polqual IS NOT NULL
                             AND p.polwithcheck IS NOT NULL AND p.polcmd = '*') AS walled
         FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1)`,
      [tables],
    );
    expect(walls.filter(({ walled }) => !walled)).toEqual([]);
    expect(walls).toHaveLength(tables.length);
  });

  it('begins every primary key, unique key and foreign key with the organization', async () => {
    const keys = await query<{ name: string; kind: string; first: string }>(
      database.url,
      `SELECT c.relname || '.' || k.conname AS name, k.contype AS kind, a.attname AS first
         FROM pg_constraint k
         JOIN pg_class c ON c.oid = k.conrelid
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
        WHERE c.relname = ANY ($1) AND k.contype IN ('p', 'u', 'f', 'x')`,
      [tables.filter((table) => table !== 'organizations' && table !== DIRECTORY)],
    );
    expect(keys.filter(({ first }) => first !== 'org_id')).toEqual([]);
    expect(keys.filter(({ kind }) => kind === 'p').length).toBe(tables.length - 2 - PARTITIONED.length);
  });

  it('has no unique index that does not begin with the organization', async () => {
    const indexes = await query<{ name: string }>(
      database.url,
      `SELECT i.indexrelid::regclass::text AS name
         FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
         LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
        WHERE c.relname = ANY ($1) AND i.indisunique AND a.attname IS DISTINCT FROM 'org_id'`,
      [tables.filter((table) => table !== 'organizations' && table !== DIRECTORY)],
    );
    expect(indexes).toEqual([]);
  });

  it('requires the organization in every row', async () => {
    const nullable = await query(
      database.url,
      `SELECT c.relname FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id'
        WHERE c.relname = ANY ($1) AND (a.attnotnull IS NOT TRUE OR a.atttypid <> 'uuid'::regtype)`,
      [tables.filter((table) => table !== 'organizations')],
    );
    expect(nullable).toEqual([]);
  });

  it('has no triggers, no rules and no key that sets columns to null', async () => {
    const [found] = await query<{ triggers: number; rules: number; setNull: number }>(
      database.url,
      `SELECT (SELECT count(*)::int FROM pg_trigger t WHERE NOT t.tgisinternal) AS triggers,
              (SELECT count(*)::int FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
                WHERE c.relname = ANY ($1)) AS rules,
              (SELECT count(*)::int FROM pg_constraint k WHERE k.confdeltype IN ('n', 'd')) AS "setNull"`,
      [tables],
    );
    expect(found).toEqual({ triggers: 0, rules: 0, setNull: 0 });
  });

  it('gives the request role nothing but what is listed, and nothing by default', async () => {
    const grants = await query<{ table: string; privileges: string }>(
      database.url,
      `SELECT c.relname AS table, string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type) AS privileges
         FROM pg_class c, aclexplode(c.relacl) a
        WHERE a.grantee = $1::regrole GROUP BY c.relname`,
      [database.appRole],
    );
    const listed = Object.entries(REQUEST_ROLE_GRANTS)
      .filter(([, privileges]) => privileges !== '')
      .map(([table, privileges]) => ({ table, privileges: privileges.split(', ').sort().join(', ') }));
    expect(grants.sort((a, b) => (a.table < b.table ? -1 : 1))).toEqual(
      listed.sort((a, b) => (a.table < b.table ? -1 : 1)),
    );
    await expect(query(database.url, 'SELECT * FROM pg_default_acl')).resolves.toEqual([]);
  });
});
