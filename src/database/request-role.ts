import type { Client, ClientBase } from 'pg';
import { MIGRATIONS } from './migrations/migrations.js';

/** Every table; '' means that requests may not use it. Partitions are reached through their parent and its policy. */
export const REQUEST_ROLE_GRANTS: Readonly<Record<string, string>> = {
  organizations: 'SELECT',
  users: 'SELECT, INSERT, UPDATE',
  user_identities: 'SELECT, INSERT',
  api_keys: 'SELECT, INSERT, UPDATE, DELETE',
  api_key_directory: 'SELECT, INSERT, DELETE',
  console_sessions: 'SELECT, INSERT, UPDATE, DELETE',
  sign_in_links: 'SELECT, INSERT, DELETE',
  user_credit_limits: 'SELECT, INSERT, UPDATE, DELETE',
  user_month_usage: 'SELECT',
  teams: 'SELECT, INSERT, UPDATE, DELETE',
  team_members: 'SELECT, INSERT, UPDATE, DELETE',
  team_changes: 'SELECT, INSERT, UPDATE',
  organization_prices: 'SELECT, INSERT, UPDATE',
  idempotency_keys: 'SELECT, INSERT, UPDATE, DELETE',
  organization_settings: 'SELECT, INSERT, UPDATE',
  enterprise_controls: 'SELECT, INSERT',
  audit_log: 'SELECT, INSERT',
  computers: 'SELECT, INSERT, UPDATE, DELETE',
  computer_tokens: 'SELECT, INSERT, DELETE',
  released_secrets: 'SELECT, INSERT',
  sessions: 'SELECT, INSERT, UPDATE, DELETE',
  messages: 'SELECT, INSERT, UPDATE',
  turns: 'SELECT, INSERT, UPDATE',
  session_events: 'SELECT, INSERT',
  event_names: 'SELECT',
  event_name_counters: '',
  event_name_days: '',
  // Sessions and messages record usage in their own transaction; requests never read raw events.
  events: 'INSERT',
  session_clients: 'INSERT',
  dirty_days: 'SELECT, INSERT',
  intake_days: 'SELECT',
  telemetry_sources: 'SELECT',
  telemetry_claims: '',
  claim_days: 'SELECT',
  aggregation_claims: '',
  day_computations: 'SELECT',
  analytics_days: 'SELECT',
  analytics_changes: 'SELECT',
  day_documents: 'SELECT',
  user_days: 'SELECT',
  superseded_days: 'SELECT',
  user_facts: 'SELECT',
  user_model_facts: 'SELECT',
  day_facts: 'SELECT',
  day_model_facts: 'SELECT',
  name_facts: 'SELECT',
  readiness_reports: 'SELECT, INSERT',
  demo_fills: '',
};

export class RequestRoleMissingError extends Error {
  constructor(
    role: string,
    readonly sql: string[],
    options?: ErrorOptions,
  ) {
    super(
      `The database role "${role}", as which requests read and write, is not usable and the owner may not create it.\n` +
        `Let an administrator of the database run:\n${sql.map((line) => `  ${line}`).join('\n')}`,
      options,
    );
    this.name = 'RequestRoleMissingError';
  }
}

/** Makes sure that the request role exists and that the owner may switch to it. */
export async function ensureRequestRole(owner: Client, role: string, options: { ownLogin: boolean }): Promise<void> {
  const name = owner.escapeIdentifier(role);
  const {
    rows: [me],
  } = await owner.query<{ name: string; mayCreate: boolean; exists: boolean }>(
    `SELECT current_user AS name, r.rolcreaterole OR r.rolsuper AS "mayCreate",
            EXISTS (SELECT FROM pg_roles x WHERE x.rolname = $1) AS exists
       FROM pg_roles r WHERE r.rolname = current_user`,
    [role],
  );
  if (!me) throw new Error('The database owner has no role of its own');

  const create = `CREATE ROLE ${name} NOLOGIN;`;
  const join = `GRANT ${name} TO ${owner.escapeIdentifier(me.name)};`;
  if (!me.exists) {
    // A login needs a password, which only an administrator can choose.
    if (options.ownLogin) throw new RequestRoleMissingError(role, [`CREATE ROLE ${name} LOGIN PASSWORD '...';`]);
    if (!me.mayCreate) throw new RequestRoleMissingError(role, [create, join]);
    await owner.query(create);
  }
  if (options.ownLogin || (await mayBecome(owner, role))) return;
  try {
    await owner.query(join);
  } catch (error) {
    throw new RequestRoleMissingError(role, [join], { cause: error });
  }
}

async function mayBecome(owner: Client, role: string): Promise<boolean> {
  try {
    await owner.query(`BEGIN; SET LOCAL ROLE ${owner.escapeIdentifier(role)}; ROLLBACK`);
    return true;
  } catch {
    await owner.query('ROLLBACK');
    return false;
  }
}

/**
 * Tables that are not listed may belong to a newer version and are left alone. If a newer version has migrated the
 * database, this process is the older one of a rolling upgrade and revokes nothing.
 */
export async function grantRequestRole(owner: ClientBase, role: string): Promise<void> {
  const name = owner.escapeIdentifier(role);
  const isOlder = await isOlderThanDatabase(owner);
  const { rows: tables } = await owner.query<{ table: string }>(
    `SELECT c.relname AS table FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relname = ANY ($1)`,
    [Object.keys(REQUEST_ROLE_GRANTS)],
  );
  const statements = tables.flatMap(({ table }) => {
    const target = owner.escapeIdentifier(table);
    const grants = REQUEST_ROLE_GRANTS[table];
    return [
      ...(isOlder ? [] : [`REVOKE ALL ON ${target} FROM ${name}`]),
      ...(grants ? [`GRANT ${grants} ON ${target} TO ${name}`] : []),
    ];
  });
  await owner.query(['BEGIN', ...statements, 'COMMIT'].join('; '));
}

async function isOlderThanDatabase(owner: ClientBase): Promise<boolean> {
  const { rowCount } = await owner.query(`SELECT 1 FROM schema_migrations m WHERE m.name <> ALL ($1) LIMIT 1`, [
    MIGRATIONS.map((migration) => migration.name),
  ]);
  return rowCount !== 0;
}
