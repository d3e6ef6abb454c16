/** The organization that is looked at: a fifth of all sessions are its, and one of them is very long. */
export const BIG_ORG = { id: '00000000-0000-7000-8000-000000000001', userId: '00010000-0000-7000-8000-000000000001' };
const LONG_SESSION_MESSAGES = 200_000;

/** Fills the database: organizations with one user each, computers, sessions and messages. Sizes scale together. */
export async function seed(cluster, { organizations, sessions, messages, progress }) {
  const inBigOrg = Math.round(sessions / 5);
  const perOrg = Math.round((sessions - inBigOrg) / (organizations - 1));
  const perSession = Math.round(messages / sessions);
  const count = `CASE WHEN o = 1 THEN ${inBigOrg} ELSE ${perOrg} END`;
  const longest = Math.min(LONG_SESSION_MESSAGES, Math.round(messages / 50));
  const id = (space, n) => `('${space}0000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
  const at = (n) => `timestamptz '2026-01-01' + (${n}) * interval '1 second'`;
  const indexes = await dropIndexes(cluster, ['sessions', 'messages', 'session_events']);

  progress(`${organizations} organizations`);
  await cluster.query(`INSERT INTO organizations SELECT ${id('0000', 'o')}, 'org ' || o, NULL, now()
                         FROM generate_series(1, ${organizations}) o`);
  await cluster.query(`INSERT INTO users (org_id, id, email, email_key, role, created_at)
                       SELECT ${id('0000', 'o')}, ${id('0001', 'o')}, o || '@example.com', o || '@example.com', 'owner', now()
                         FROM generate_series(1, ${organizations}) o`);
  await cluster.query(`INSERT INTO computers SELECT ${id('0000', 'o')}, ${id('0002', 'o')}, 'laptop', 'laptop', 'byom', NULL,
                              NULL, 'active', '[]', ${id('0001', 'o')}, now() FROM generate_series(1, ${organizations}) o`);
  progress(`${sessions} sessions`);
  await cluster.query(`
    INSERT INTO sessions (org_id, id, user_id, computer_id, title, status, settings, message_count, created_at, updated_at)
    SELECT ${id('0000', 'o')}, ${id('0003', `(o::bigint << 24) + s`)}, ${id('0001', 'o')}, ${id('0002', 'o')},
           'Session ' || s, 'idle', '{"model": "model-a", "autonomyLevel": "low", "autonomyMode": "auto-low"}',
           CASE WHEN o = 1 AND s = 1 THEN ${longest} ELSE ${perSession} END, ${at('s')}, ${at('s')}
      FROM generate_series(1, ${organizations}) o, generate_series(1, ${count}) s`);
  progress(`${messages} messages`);
  const step = Math.max(1, Math.floor(organizations / 20));
  for (let first = 1; first <= organizations; first += step) {
    const last = Math.min(first + step - 1, organizations);
    await cluster.query(`
      INSERT INTO messages (org_id, session_id, id, seq, user_id, role, content, details, search, created_at, updated_at)
      SELECT ${id('0000', 'o')}, ${id('0003', `(o::bigint << 24) + s`)},
             ${id('0004', `(o::bigint << 37) + (s::bigint << 18) + m`)}, m, ${id('0001', 'o')},
             CASE WHEN m % 2 = 1 THEN 'user' ELSE 'assistant' END,
             json_build_array(json_build_object('type', 'text', 'text', 'Message ' || m || ' about topic' || (s % 97))),
             '{}', to_tsvector('simple', 'Message ' || m || ' about topic' || (s % 97)), ${at('s * 10 + m')}, ${at('s * 10 + m')}
        FROM generate_series(${first}, ${last}) o, generate_series(1, ${count}) s,
             generate_series(1, CASE WHEN o = 1 AND s = 1 THEN ${longest} ELSE ${perSession} END) m`);
    progress(`${Math.round((last / organizations) * 100)} % of the messages`);
  }
  progress('indexes');
  for (const index of indexes) await cluster.query(index);
  await cluster.query('VACUUM ANALYZE');
}

/** Loading first and indexing afterwards is several times quicker. Keys stay: they are constraints. */
async function dropIndexes(cluster, tables) {
  const found = await cluster.query(
    `SELECT i.indexdef AS definition, i.indexname AS name FROM pg_indexes i
      WHERE i.tablename = ANY ($1) AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conname = i.indexname)`,
    [tables],
  );
  for (const { name } of found) await cluster.query(`DROP INDEX ${name}`);
  return found.map(({ definition }) => definition);
}
