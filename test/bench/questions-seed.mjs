import { NAME_KIND } from '../../dist/modules/ingest/event-codes.js';

export const LAST_DAY = '2026-11-13';
export const FIRST_DAY = '2025-11-13'; // 366 days

export const orgId = (n) => `00000000-0000-7000-8000-00000000000${n}`;
export const ownerId = (n) => `0001000${n}-0000-7000-8000-000000000001`;
const userId = (n) => `('0001000${n}-0000-7000-8000-' || lpad(to_hex(u), 12, '0'))::uuid`;
const random = (salt, n) => `(hashint8((${n})::int8 * 16 + ${salt}) & 2147483647)`;
const LARGE_TABLES = ['user_facts', 'user_model_facts'];

/** Fills facts of `organizations` (`n`, `people`, `from`) directly, and builds the keys of the large tables at the end. */
export async function seedFacts(cluster, organizations, progress) {
  // Days whose raw events are gone are never computed again.
  await cluster.query(`INSERT INTO event_days (day, dropped_at)
    SELECT g.day::date, now() FROM generate_series(date '${FIRST_DAY}', date '${LAST_DAY}', '1 day') AS g (day)`);
  const indexes = await cluster.query(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition, c.conname AS constraint,
            i.indrelid::regclass::text AS table
       FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid
      WHERE i.indrelid = ANY ($1::regclass[])`,
    [LARGE_TABLES],
  );
  for (const { name, constraint, table } of indexes) {
    await cluster.query(constraint ? `ALTER TABLE ${table} DROP CONSTRAINT ${constraint}` : `DROP INDEX ${name}`);
  }
  for (const organization of organizations) await seed(cluster, organization, progress);
  for (const { name, definition, constraint, table } of indexes) {
    await cluster.query(definition);
    if (constraint) await cluster.query(`ALTER TABLE ${table} ADD PRIMARY KEY USING INDEX ${name}`);
    progress(name);
  }
  await cluster.query('VACUUM ANALYZE');
  await cluster.query('CHECKPOINT');
}

/** Facts as aggregation leaves them: six of ten people are active on a day, with two models each. */
async function seed(cluster, { n, people, from }, progress) {
  const org = orgId(n);
  const days = `generate_series(date '${from}', date '${LAST_DAY}', '1 day') AS g (day)`;
  const version = `(g.day::date - date '2020-01-01')`;
  await cluster.query(`INSERT INTO organizations VALUES ('${org}', 'org ${n}', NULL, now())`);
  await cluster.query(`INSERT INTO users (org_id, id, email, email_key, role, created_at)
    SELECT '${org}', ${userId(n)}, u || '@${n}.example.com', u || '@${n}.example.com', CASE WHEN u = 1 THEN 'owner' ELSE 'member' END, now()
      FROM generate_series(1, ${people}) u`);
  await cluster.query(`INSERT INTO event_names (org_id, id, kind, name, folded, name_hash)
    SELECT '${org}', k.kind * 1000 + i, k.kind, k.name || i, lower(k.name || i), sha256((k.name || i)::bytea)
      FROM (VALUES (${NAME_KIND.model}, 'model-', 20), (${NAME_KIND.tool}, 'Tool', 200)) AS k (kind, name, count),
           generate_series(1, k.count) i`);
  await cluster.query(`INSERT INTO teams (org_id, id, name, name_key, created_at)
    SELECT '${org}', ('0003000${n}-0000-7000-8000-' || lpad(to_hex(t), 12, '0'))::uuid, 'Team ' || t, 'team ' || t, now() FROM generate_series(1, 50) t`);
  await cluster.query(`INSERT INTO team_members (org_id, user_id, from_day, team_id)
    SELECT '${org}', ${userId(n)}, '2025-01-01', ('0003000${n}-0000-7000-8000-' || lpad(to_hex(1 + u % 50), 12, '0'))::uuid
      FROM generate_series(1, ${people}) u WHERE u % 10 > 0`);
  await cluster.query(`INSERT INTO analytics_changes VALUES ('${org}', 1)`);
  await cluster.query(`INSERT INTO analytics_days (org_id, day, version, activity_version, computed_at, fact_rules)
    SELECT '${org}', g.day, ${version}, 1, now(), 'frozen' FROM ${days}`);
  const one = `1 + ${random(3, 'u * 1000 + day_number')} % 20`;
  const months = await cluster.query(
    `SELECT DISTINCT date_trunc('month', g.day)::date::text AS first FROM ${days} ORDER BY 1`,
  );
  for (const { first } of months) {
    const active = `(SELECT u, g.day::date AS day, ${version} AS version, g.day::date - date '2020-01-01' AS day_number
                       FROM ${days}, generate_series(1, ${people}) u
                      WHERE date_trunc('month', g.day) = '${first}' AND ${random(1, "u * 1000 + (g.day::date - date '2020-01-01')")} % 10 < 6) a`;
    await cluster.query(`INSERT INTO user_facts (org_id, user_id, day, version, billable_tokens, tool_calls, mcp_calls, skill_calls,
        slash_commands, hooks, user_messages, assistant_messages, sessions, files_created, files_edited, git_commits,
        git_prs_created, clients, auto_high, auto_medium, auto_low, spec, manual, name_ids, name_counts, email)
      SELECT '${org}', ${userId(n)}, day, version, 100000, ${one}, 2, 1, 1, 1, 7, 14, 3, 2, 8, 1, 0, 2, 1, 1, 1, 0, 5,
             ARRAY[2001 + ${random(4, 'u')} % 200, 2001 + ${random(5, 'day_number + u')} % 200], ARRAY[5, 3], u || '@${n}.example.com' FROM ${active}`);
    await cluster.query(`INSERT INTO user_model_facts (org_id, user_id, day, version, model_id, client, above, minute, tier, input,
        output, billable, calls, cache_read, cache_write)
      SELECT '${org}', ${userId(n)}, day, version, 1001 + (u + m) % 20, 1, 0, 0, 1, 90000, 5000, ${one}, 9, 50000, 4000
        FROM ${active}, generate_series(1, 2) m`);
    progress(`${people} people, ${first.slice(0, 7)}`);
  }
  await cluster.query(`INSERT INTO day_facts (org_id, day, version, people, billable_tokens, tool_calls, mcp_calls, skill_calls, slash_commands,
      hooks, user_messages, assistant_messages, sessions, files_created, files_edited, git_commits, git_prs_created, mcp_people)
    SELECT org_id, day, version, count(*), sum(billable_tokens), sum(tool_calls), sum(mcp_calls), sum(skill_calls), sum(slash_commands), sum(hooks),
           sum(user_messages), sum(assistant_messages), sum(sessions), sum(files_created), sum(files_edited), sum(git_commits), 0, count(*)
      FROM user_facts WHERE org_id = '${org}' GROUP BY 1, 2, 3`);
  await cluster.query(`INSERT INTO day_model_facts (org_id, day, version, model_id, client, above, minute, tier, input, output, billable, calls,
      cache_read, cache_write)
    SELECT org_id, day, version, model_id, client, above, minute, 1, sum(input), sum(output), sum(billable), sum(calls), sum(cache_read), sum(cache_write)
      FROM user_model_facts WHERE org_id = '${org}' GROUP BY 1, 2, 3, 4, 5, 6, 7`);
  await cluster.query(`INSERT INTO name_facts (org_id, day, version, name_id, kind, count, people)
    SELECT f.org_id, f.day, f.version, x.id, ${NAME_KIND.tool}, sum(x.n), count(*)
      FROM user_facts f, unnest(f.name_ids, f.name_counts) AS x (id, n) WHERE f.org_id = '${org}' GROUP BY 1, 2, 3, 4`);
  await cluster.query(`SELECT setval('analytics_versions', 1000000)`);
}

/** The plain statement for the same rows, without paging, search or walls between organizations. */
export function statements(org, from) {
  const facts = (table) =>
    `FROM analytics_days d JOIN ${table} f ON f.org_id = d.org_id AND f.day = d.day AND f.version = d.version`;
  const where = `WHERE d.org_id = '${org}' AND d.day >= '${from}' AND d.day <= '${LAST_DAY}'`;
  const ranked = (key, value, table, join = '') => `
    WITH cells AS (SELECT ${key} AS key, f.day, ${value} AS value ${facts(table)} ${join} ${where} GROUP BY 1, 2),
         sums AS (SELECT key, sum(value) AS value FROM cells GROUP BY key),
         page AS (SELECT key, value FROM sums ORDER BY value DESC, key LIMIT 20)
    SELECT p.key, p.value, c.day, c.value, (SELECT sum(value) FROM sums) FROM page p JOIN cells c ON c.key = p.key
     UNION ALL SELECT NULL, NULL, day, sum(value), NULL FROM cells GROUP BY day`;
  const ofUsers = (value, table) => `
    WITH sums AS (SELECT f.user_id, sum(${value}) AS value ${facts(table)} ${where} GROUP BY 1),
         page AS (SELECT user_id, value FROM sums ORDER BY value DESC, user_id LIMIT 20)
    SELECT p.user_id, p.value, f.day, ${value}, (SELECT sum(value) FROM sums) ${facts(table)} JOIN page p ON p.user_id = f.user_id ${where}`;
  const team = `LEFT JOIN team_members t ON t.org_id = f.org_id AND t.user_id = f.user_id AND t.from_day <= f.day AND (t.to_day IS NULL OR t.to_day >= f.day)`;
  return {
    summary: `SELECT * FROM (SELECT sum(f.sessions), sum(f.tool_calls), sum(f.user_messages), sum(f.assistant_messages) ${facts('day_facts')} ${where}) a,
                (SELECT sum(f.input), sum(f.output), sum(f.billable), sum(f.calls) ${facts('day_model_facts')} ${where}) m,
                (SELECT count(DISTINCT f.user_id) ${facts('user_facts')} ${where}) p`,
    'breakdown?dimension=user&metric=tool_calls': ofUsers('f.tool_calls', 'user_facts'),
    'breakdown?dimension=user&metric=billable_tokens': ofUsers('f.billable', 'user_model_facts'),
    'breakdown?dimension=user&metric=cost': ofUsers(
      'f.input * 3000000::numeric + f.output * 15000000::numeric',
      'user_model_facts',
    ),
    'breakdown?dimension=team&metric=tool_calls': ranked('t.team_id', 'sum(f.tool_calls)', 'user_facts', team),
    'breakdown?dimension=model&metric=billable_tokens': ranked('f.model_id', 'sum(f.billable)', 'day_model_facts'),
    'breakdown?dimension=tool&metric=count': ranked('f.name_id', 'sum(f.count)', 'name_facts'),
  };
}
