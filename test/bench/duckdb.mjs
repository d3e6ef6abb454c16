import { DuckDBInstance } from '@duckdb/node-api';
import { EVENT_KIND } from '../../dist/modules/ingest/event-codes.js';

const K = EVENT_KIND;
const of = (condition) => `count(*) FILTER (WHERE ${condition})`;

/** The fields of all endpoints, as DuckDB would compute them; into temporary tables, without any JSON. */
const STATEMENTS = [
  `CREATE TEMP TABLE s AS SELECT org_id, user_id, session_id, ${of(`kind = ${K.tool_call}`)} tools,
     ${of(`kind = ${K.tool_call} AND detail_id IS NOT NULL`)} mcp, ${of('autonomy = 1')} a1, ${of('autonomy = 2')} a2,
     ${of('autonomy = 3')} a3, ${of('autonomy = 4')} a4, ${of(`kind = ${K.user_message}`)} um, ${of(`kind = ${K.assistant_message}`)} am,
     ${of(`kind = ${K.session_started}`)} st, ${of(`kind = ${K.file_created}`)} fc, ${of(`kind = ${K.file_edited}`)} fe,
     ${of(`kind = ${K.git_commit}`)} gc, ${of(`kind = ${K.pull_request_created}`)} pr, ${of(`kind = ${K.skill_used}`)} sk,
     ${of(`kind = ${K.slash_command}`)} sl, ${of(`kind = ${K.hook_run}`)} hk, bit_or(1 << client) cl
   FROM ev GROUP BY ALL`,
  `CREATE TEMP TABLE m AS SELECT org_id, user_id, name_id, max(tier) tier, sum(input_tokens) i, sum(output_tokens) o,
     sum(cache_read_tokens) cr, sum(cache_write_tokens) cw, sum(billable_tokens) b FROM ev WHERE kind = ${K.model_call} GROUP BY ALL`,
  `CREATE TEMP TABLE l AS SELECT DISTINCT org_id, user_id, name_id FROM ev WHERE kind IN (${K.file_created}, ${K.file_edited})`,
  `CREATE TEMP TABLE d AS SELECT org_id, kind, name_id, detail_id, count(*) n FROM ev
    WHERE kind IN (${K.tool_call}, ${K.file_created}, ${K.file_edited}, ${K.skill_used}, ${K.slash_command}, ${K.hook_run}) GROUP BY ALL`,
  `CREATE TEMP TABLE u AS SELECT org_id, user_id, sum(tools) tools, sum(mcp) mcp, sum(a1) a1, sum(a2) a2, sum(a3) a3, sum(a4) a4,
     sum(um) um, sum(am) am, ${of('st > 0')} sessions, sum(fc) fc, sum(fe) fe, sum(gc) gc, sum(pr) pr, sum(sk) sk, sum(sl) sl,
     sum(hk) hk, bit_or(cl) cl FROM s GROUP BY ALL`,
  `CREATE TEMP TABLE ud AS SELECT u.*, t.b, t.models, t.amounts, g.langs, u.tools / nullif(u.um, 0) ratio FROM u
     LEFT JOIN (SELECT org_id, user_id, sum(b) b, list(name_id ORDER BY b DESC) models, list(b ORDER BY b DESC) amounts
                  FROM m GROUP BY ALL) t USING (org_id, user_id)
     LEFT JOIN (SELECT org_id, user_id, list(name_id) langs FROM l GROUP BY ALL) g USING (org_id, user_id)`,
  `CREATE TEMP TABLE f AS SELECT org_id, count(*) users, ${of('cl & 2 > 0')} c1, ${of('cl & 4 > 0')} c2, ${of('cl & 8 > 0')} c3,
     ${of('mcp > 0')} mcp, sum(tools) tools, sum(um) um, sum(am) am, sum(sessions) sessions FROM u GROUP BY ALL`,
  `CREATE TEMP TABLE sf AS SELECT org_id, avg(tools) tools, avg(um) um, avg(tools / nullif(um, 0)) ratio,
     quantile_cont(tools / nullif(um, 0), [0.5, 0.9]) q FROM s WHERE session_id IS NOT NULL GROUP BY ALL`,
  `CREATE TEMP TABLE om AS SELECT org_id, name_id, sum(i) i, sum(o) o, sum(cr) cr, sum(cw) cw, sum(b) b FROM m GROUP BY ALL`,
  `CREATE TEMP TABLE dl AS SELECT org_id, kind, list({name: name_id, n: n} ORDER BY n DESC) items
     FROM (SELECT org_id, kind, name_id, sum(n) n FROM d GROUP BY ALL) GROUP BY ALL`,
];

/** Loads a partition into DuckDB and computes the day there; returns the seconds of CPU and of wall time. */
export async function measureDuckDb(csvFile, threads) {
  const db = await (await DuckDBInstance.create(':memory:', { threads: String(threads) })).connect();
  await db.run(`CREATE TABLE ev AS SELECT * FROM read_csv('${csvFile}', header = false, columns = {
    'at': 'TIMESTAMPTZ', org_id: 'UUID', user_id: 'UUID', id: 'UUID', kind: 'SMALLINT', client: 'SMALLINT', session_id: 'UUID',
    name_id: 'INTEGER', detail_id: 'INTEGER', autonomy: 'SMALLINT', tier: 'SMALLINT', input_tokens: 'INTEGER',
    output_tokens: 'INTEGER', cache_read_tokens: 'INTEGER', cache_write_tokens: 'INTEGER', billable_tokens: 'BIGINT',
    cache_write_1h_tokens: 'INTEGER', reported_cost: 'BIGINT', is_sum: 'BOOLEAN'})`);
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  for (const sql of STATEMENTS) await db.run(sql);
  const used = process.cpuUsage(cpu);
  const wall = (performance.now() - began) / 1000;
  const reader = await db.runAndReadAll(
    'SELECT count(*)::INT AS users, sum(tools)::DOUBLE AS tools, sum(b)::DOUBLE AS billable FROM ud',
  );
  db.closeSync();
  return { cpu: (used.user + used.system) / 1e6, wall, totals: reader.getRowObjects()[0] };
}
