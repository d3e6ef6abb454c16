import pg from 'pg';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const ORGANIZATIONS = 100;
const SESSIONS = 50;
const PER_SESSION = 5;

let app: TestApp;

/** Many organizations, each with sessions that are alike. */
beforeAll(async () => {
  app = await TestApp.start();
  const sql = (text: string, ...values: unknown[]) => query(app.database.url, text, values);
  await sql(
    `INSERT INTO organizations (id, name, created_at)
     SELECT gen_random_uuid(), 'org ' || n, now() FROM generate_series(1, $1) n`,
    ORGANIZATIONS,
  );
  await sql(
    `INSERT INTO users (org_id, id, email, email_key, role, created_at)
     SELECT o.id, gen_random_uuid(), o.id || '@example.com', o.id || '@example.com', 'member', now() FROM organizations o`,
  );
  await sql(
    `INSERT INTO sessions (org_id, id, user_id, computer_id, status, settings, created_at, updated_at)
     SELECT u.org_id, gen_random_uuid(), u.id, gen_random_uuid(), 'idle', '{}', now(), now()
       FROM users u, generate_series(1, $1)`,
    SESSIONS,
  );
  await sql(
    `INSERT INTO messages (org_id, session_id, id, seq, user_id, role, content, search, created_at, updated_at)
     SELECT s.org_id, s.id, gen_random_uuid(), n, s.user_id, 'user', '[]', '', now(), now()
       FROM sessions s, generate_series(1, $1) n`,
    PER_SESSION,
  );
  await sql(
    `INSERT INTO turns (org_id, session_id, message_id, computer_id, status, created_at)
     SELECT m.org_id, m.session_id, m.id, gen_random_uuid(), 'ended', now() FROM messages m`,
  );
  await sql(
    `INSERT INTO session_events (org_id, session_id, seq, type, message_id, created_at)
     SELECT m.org_id, m.session_id, m.seq, 'message.created', m.id, now() FROM messages m`,
  );
  await sql(`ANALYZE`);
}, 60_000);
afterAll(() => app.stop());

/** Explains a statement that was planned once, for whatever values, as foreign keys and statements with a name are. */
async function planForAnyValues(sql: string): Promise<string> {
  const client = new pg.Client({ connectionString: app.database.url });
  await client.connect();
  try {
    await client.query(`SET plan_cache_mode = force_generic_plan`);
    await client.query(`PREPARE statement (uuid, uuid) AS ${sql}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE statement (NULL, NULL)`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}

it.each(['messages', 'turns', 'session_events'])('the planner knows how many %s a session has', async (table) => {
  const plan = await planForAnyValues(`SELECT 1 FROM ${table} x WHERE x.org_id = $1 AND x.session_id = $2`);
  const estimate = Number(/rows=(\d+)/.exec(plan)?.[1]);
  expect(estimate).toBeGreaterThanOrEqual(PER_SESSION);
});
