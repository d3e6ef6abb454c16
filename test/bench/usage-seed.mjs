import { EVENT_KIND, eventPartition, NAME_KIND } from '../../dist/modules/ingest/event-codes.js';

const ORGANIZATIONS = 200;
/** Share of the users that the largest organization has: 20,000 of 117,470. */
export const LARGEST_SHARE = 20_000 / 117_470;
const EVENTS_PER_USER = 85;
const SESSIONS_PER_USER = 4;

/** How many different names there are of each kind, in every organization. */
const NAMES = [
  [NAME_KIND.model, 40, `'model-' || n || CASE WHEN n % 8 = 0 THEN '-thinking' ELSE '' END`],
  [NAME_KIND.tool, 300, `'Tool' || n`],
  [NAME_KIND.mcpServer, 60, `'server-' || n`],
  [NAME_KIND.skill, 50, `'skill-' || n`],
  [NAME_KIND.slashCommand, 40, `'/command-' || n`],
  [NAME_KIND.hook, 30, `'["PostToolUse","Tool' || n || '","npm run check-' || n || '"]'`],
  [NAME_KIND.extension, 25, `'.ext' || n`],
  [NAME_KIND.language, 25, `'Language ' || n`],
  [NAME_KIND.priceBook, 1, `'built-in'`],
];

/** Of a hundred events, how many are of which kind. */
const MIX = [
  [EVENT_KIND.tool_call, 38],
  [EVENT_KIND.model_call, 20],
  [EVENT_KIND.assistant_message, 14],
  [EVENT_KIND.user_message, 7],
  [EVENT_KIND.file_edited, 8],
  [EVENT_KIND.hook_run, 4],
  [EVENT_KIND.session_started, 3],
  [EVENT_KIND.file_created, 2],
  [EVENT_KIND.slash_command, 1],
  [EVENT_KIND.skill_used, 1],
  [EVENT_KIND.git_commit, 1],
  [EVENT_KIND.pull_request_created, 1],
];

export const orgId = (n) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
export const LARGEST = orgId(1);

const uuid = (space, n) => `('${space}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
/** Any number from 0 to 2^31, the same for the same input. */
const random = (salt, n) => `(hashint8(${n}::int8 * 16 + ${salt}) & 2147483647)`;
/** A number from 1 to `count`, small ones much more often than large ones. */
const skewed = (salt, n, count) => `(1 + floor(${count} * power(${random(salt, n)} / 2147483648.0, 2.5)))::int`;

/** Organizations of very different sizes, their users and the names that their events use. */
export async function seedOrganizations(cluster, users) {
  const largest = Math.round(users * LARGEST_SHARE);
  await cluster.query(`CREATE TABLE bench_users AS
    SELECT u::int AS u, CASE WHEN u <= ${largest} THEN 1 ELSE 1 + ${skewed(1, 'u', ORGANIZATIONS - 1)} END AS o
      FROM generate_series(1, ${users}) u`);
  await cluster.query(`INSERT INTO organizations SELECT ${uuid('00000000', 'o')}, 'org ' || o, NULL, now()
                         FROM generate_series(1, ${ORGANIZATIONS}) o`);
  await cluster.query(`INSERT INTO users (org_id, id, email, email_key, role, created_at)
    SELECT ${uuid('00000000', 'b.o')}, ${uuid('00010000', 'b.u')}, 'user' || b.u || '@example.com', 'user' || b.u || '@example.com',
           CASE WHEN b.u = 1 THEN 'owner' ELSE 'member' END, now() FROM bench_users b`);
  for (const [kind, count, name] of NAMES) {
    await cluster.query(`INSERT INTO event_names (org_id, id, kind, name, folded, name_hash)
      SELECT ${uuid('00000000', 'o')}, ${kind} * 1000 + n, ${kind}, ${name}, lower(${name}), sha256((${name})::bytea)
        FROM generate_series(1, ${ORGANIZATIONS}) o, generate_series(1, ${count}) n`);
  }
  await cluster.query(`SELECT setval('event_name_ids', 1000000)`);
  return { largest };
}

/** A day of events, straight into its partition, and the marks that ingest would have left. */
export async function seedDay(cluster, { day, events, users, progress }) {
  const partition = eventPartition(day);
  await cluster.query(`INSERT INTO event_days (day) VALUES ('${day}')`);
  await cluster.query(`CREATE TABLE ${partition} (LIKE events)`);
  let threshold = 0;
  const kind = MIX.map(([code, share]) => `WHEN ${random(2, 'i')} % 100 < ${(threshold += share)} THEN ${code}`).join(
    ' ',
  );
  const name = (nameKind, salt) => {
    const count = NAMES.find(([code]) => code === nameKind)[1];
    return `${nameKind} * 1000 + ${skewed(salt, 'x.i', count)}`;
  };
  const K = EVENT_KIND;
  const step = 500_000;
  for (let first = 1; first <= events; first += step) {
    const last = Math.min(events, first + step - 1);
    await cluster.query(`
      INSERT INTO ${partition}
      SELECT timestamptz '${day} 00:00+00' + (x.i::float8 / ${events}) * interval '86399 seconds',
             ${uuid('00000000', 'b.o')}, ${uuid('00010000', 'x.u')},
             ${uuid('01970000', 'x.i')}, x.kind, 1 + ${random(4, 'x.u')} % 3,
             ${uuid('00020000', `x.u::bigint * ${SESSIONS_PER_USER} + ${random(3, 'x.i')} % ${SESSIONS_PER_USER}`)},
             CASE x.kind WHEN ${K.model_call} THEN ${NAME_KIND.model} * 1000 + 1 + (${random(6, 'x.u')} + ${random(6, 'x.i')} % 3) % 40 WHEN ${K.tool_call} THEN ${name(NAME_KIND.tool, 7)}
                         WHEN ${K.skill_used} THEN ${name(NAME_KIND.skill, 7)} WHEN ${K.slash_command} THEN ${name(NAME_KIND.slashCommand, 7)}
                         WHEN ${K.hook_run} THEN ${name(NAME_KIND.hook, 7)}
                         WHEN ${K.file_created} THEN ${name(NAME_KIND.language, 7)} WHEN ${K.file_edited} THEN ${name(NAME_KIND.language, 7)} END,
             CASE WHEN x.kind = ${K.model_call} THEN ${NAME_KIND.priceBook} * 1000 + 1
                  WHEN x.kind = ${K.tool_call} AND ${random(7, 'x.i')} % 100 < 28 THEN ${NAME_KIND.mcpServer} * 1000 + 1 + ${skewed(7, 'x.i', 300)} % 60
                  WHEN x.kind IN (${K.file_created}, ${K.file_edited}) THEN ${name(NAME_KIND.extension, 7)} END,
             CASE WHEN x.kind = ${K.tool_call} THEN 1 + ${random(5, 'x.i')} % 5 END,
             CASE WHEN x.kind = ${K.model_call} THEN 1 END,
             CASE WHEN x.kind = ${K.model_call} THEN 2000 + ${random(10, 'x.i')} % 20000 END,
             CASE WHEN x.kind = ${K.model_call} THEN 100 + ${random(11, 'x.i')} % 2000 END,
             CASE WHEN x.kind = ${K.model_call} THEN ${random(12, 'x.i')} % 1000 END,
             CASE WHEN x.kind = ${K.model_call} THEN ${random(13, 'x.i')} % 1000 END,
             CASE WHEN x.kind = ${K.model_call} THEN 1000 + ${random(10, 'x.i')} % 20000 END
        FROM (SELECT i, 1 + ${random(14, 'i')} % ${users} AS u, CASE ${kind} END AS kind
                FROM generate_series(${first}, ${last}) i) x
        JOIN bench_users b ON b.u = x.u`);
    progress(`${Math.round((last / events) * 100)} % of the events of ${day}`);
  }
  await cluster.query(`CREATE UNIQUE INDEX ${partition}_key ON ${partition} (org_id, id)`);
  await cluster.query(
    `ALTER TABLE events ATTACH PARTITION ${partition} FOR VALUES FROM ('${day} 00:00+00') TO ('${nextDay(day)} 00:00+00')`,
  );
  await cluster.query(
    `INSERT INTO dirty_days (org_id, day, events) SELECT e.org_id, '${day}', count(*) FROM ${partition} e GROUP BY 1`,
  );
  await cluster.query(`VACUUM ANALYZE ${partition}`);
}

export const nextDay = (day) => new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
export const usersFor = (events) => Math.max(400, Math.round(events / EVENTS_PER_USER));

/** `count` events of the largest organization as a client would send them, all of `day` and never seen before. */
export function makeEvents(count, day, run, users) {
  const names = ['Read', 'Edit', 'Bash', 'Grep', 'Glob', 'Write', 'WebFetch', 'TodoWrite'];
  return Array.from({ length: count }, (_, i) => {
    const user = 1 + ((i * 7919) % Math.min(users, 2_000));
    const event = {
      id: `0198${run.toString(16).padStart(4, '0')}-0000-7000-8000-${i.toString(16).padStart(12, '0')}`,
      at: new Date(Date.parse(`${day}T09:00:00Z`) + i * 20).toISOString(),
      userId: `00010000-0000-7000-8000-${user.toString(16).padStart(12, '0')}`,
      sessionId: `session-${user}-${i % SESSIONS_PER_USER}`,
      client: 'terminal-ui',
    };
    const turn = i % 10;
    if (turn === 0) return { ...event, type: 'user_message' };
    if (turn < 3) {
      const tokens = { inputTokens: 12_000 + (i % 5000), outputTokens: 500, cacheReadTokens: 9_000 };
      return { ...event, type: 'model_call', modelId: `model-${i % 5}`, ...tokens };
    }
    if (turn < 7) return { ...event, type: 'tool_call', tool: names[i % names.length], autonomyLevel: 'medium' };
    if (turn < 9) return { ...event, type: 'assistant_message' };
    return { ...event, type: 'file_edited', extension: '.ts' };
  });
}
