import { randomUUID } from 'node:crypto';
import { OrgDatabase } from '../../src/database/org-database.js';
import { SystemDatabase } from '../../src/database/system-database.js';
import { TurnsRepository } from '../../src/modules/turns/turns.repository.js';
import type { GivenOrganization } from '../support/given.js';
import { givenComputer } from '../support/given-session.js';
import { Plan, recordReads, recordWrites, type Statement } from '../support/plans.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

/** Of sessions, and of turns in the one that is long. */
const ROWS = 3_000;
const SLOTS = 20;

let app: TestApp;
let org: GivenOrganization;
let turns: TurnsRepository;
let reads: Statement[];
let writes: Statement[];
const agent = { orgId: '', computerId: '', connectionId: randomUUID() };

/**
 * `$1` is the organization, `$2` its owner, `$3` the computer. Sessions with an ended turn each, some of which have one that
 * waits or runs, and one session in which a great many have ended.
 */
const STATEMENTS = [
  `INSERT INTO computers (org_id, id, name, name_key, provider_type, status, provisioning_steps, registered_by, created_at)
   SELECT $1::uuid, gen_random_uuid(), n::text, n::text, 'byom', 'active', '[]', $2::uuid, now()
     FROM generate_series(1, ${ROWS}) n WHERE $3::uuid IS NOT NULL`,
  `INSERT INTO sessions (org_id, id, user_id, computer_id, status, settings, created_at, updated_at)
   SELECT $1::uuid, gen_random_uuid(), $2::uuid, $3::uuid, 'idle', '{}', now(), now() FROM generate_series(1, ${ROWS})`,
  `INSERT INTO messages (org_id, session_id, id, seq, user_id, role, content, search, created_at, updated_at)
   SELECT s.org_id, s.id, gen_random_uuid(), n, s.user_id, 'user', '[]', '', now(), now()
     FROM (SELECT s.*, row_number() OVER (ORDER BY s.id) AS place FROM sessions s WHERE s.org_id = $1) s,
          LATERAL generate_series(1, CASE WHEN s.place = 1 THEN ${ROWS} ELSE 2 END) n
    WHERE s.user_id = $2 AND s.computer_id = $3`,
  `INSERT INTO turns (org_id, session_id, message_id, computer_id, status, attempt, lease_until, created_at)
   SELECT m.org_id, m.session_id, m.id, $3::uuid, x.status, 0,
          CASE WHEN x.status = 'running' THEN now() + m.place * interval '1 second' END, now() + m.place * interval '1 second'
     FROM (SELECT m.*, dense_rank() OVER (ORDER BY m.session_id) AS place,
                  row_number() OVER (PARTITION BY m.session_id ORDER BY m.seq DESC) AS behind
             FROM messages m WHERE m.org_id = $1 AND m.user_id = $2) m,
          LATERAL (SELECT CASE WHEN m.behind > 1 THEN 'ended' WHEN m.place % 5 = 1 THEN 'queued'
                               WHEN m.place % 5 = 2 AND m.place <= 5 * ${SLOTS} THEN 'running' ELSE 'ended' END AS status) x`,
];

async function seed({ id, owner }: GivenOrganization): Promise<string> {
  const computerId = await givenComputer(app, owner);
  for (const sql of STATEMENTS) await query(app.database.url, sql, [id, owner.id, computerId]);
  return computerId;
}

beforeAll(async () => {
  app = await TestApp.start({ env: { TURN_LEASE_SECONDS: '3600' } });
  await seed(await app.given.organization());
  org = await app.given.organization();
  agent.orgId = org.id;
  agent.computerId = await seed(org);
  await connect(agent.computerId);
  await query(app.database.url, 'VACUUM ANALYZE');
  turns = app.nest.get(TurnsRepository);
  reads = recordReads(app.nest.get(OrgDatabase));
  writes = recordWrites(app.nest.get(OrgDatabase));
}, 60_000);
afterAll(() => app.stop());

async function connect(computerId: string): Promise<void> {
  const sql = `UPDATE computers SET agent_connection = $2 WHERE id = $1`;
  await query(app.database.url, sql, [computerId, agent.connectionId]);
}

function only(statements: Statement[]): Statement {
  const [statement] = statements.splice(0);
  if (!statement) throw new Error('No statement was sent');
  return statement;
}

describe('among thousands of sessions and turns', () => {
  it('the next turn is begun without a look at the others', async () => {
    const now = new Date();
    expect(await turns.startNext(agent, now, now)).toMatchObject({ attempt: 1 });
    const plan = await Plan.of(app.database, org.id, only(writes), 'READ WRITE');
    expect(plan.sequentialScans).toEqual([]);
    expect(plan.discardedRows).toBeLessThanOrEqual(SLOTS + 1);
    expect(plan.sortedRows).toBeLessThanOrEqual(2);
    expect(plan.buffers).toBeLessThan(200);
  });

  it('nothing is found quickly where nothing waits', async () => {
    const idle = { ...agent, computerId: await givenComputer(app, org.owner) };
    await connect(idle.computerId);
    writes.length = 0;
    expect(await turns.startNext(idle, new Date(), new Date())).toBeNull();
    const plan = await Plan.of(app.database, org.id, only(writes), 'READ WRITE');
    expect([plan.sequentialScans, plan.discardedRows]).toEqual([[], 0]);
  });

  it('the running turns of a computer are listed without a look at those that have ended', async () => {
    reads.length = 0;
    const running = await turns.listRunning(org.id, agent.computerId);
    expect(running.length).toBeGreaterThanOrEqual(SLOTS);
    const plan = await Plan.of(app.database, org.id, only(reads));
    expect(plan.sequentialScans).toEqual([]);
    expect(plan.discardedRows).toBeLessThanOrEqual(ROWS / 5);
  });

  it('expired leases are found without a look at the others', async () => {
    const system = app.nest.get(SystemDatabase);
    const original = system.query.bind(system);
    const statements: Statement[] = [];
    system.query = <Row>(sql: string, parameters?: unknown[]) => {
      if (sql.includes('lease_until')) statements.push({ sql, parameters: parameters ?? [] });
      return original<Row>(sql, parameters);
    };
    const tenth = new Date(Date.now() + 50_000);
    expect((await turns.listOverdue(tenth, 5)).length).toBe(5);
    system.query = original;
    const plan = await Plan.ofSystem(app.database, only(statements));
    expect([plan.sequentialScans, plan.discardedRows, plan.sortedRows]).toEqual([[], 0, 0]);
  });
});
