import { NAME_KIND } from '../../../ingest/event-codes.js';
import { DOCUMENT_KIND } from '../../day-documents.js';
import type { AutonomyShares, ProductivityDayRow, ToolDayRow, ToolGroupRow } from '../../tools.dto.js';
import { ofVersion } from '../facts/day-facts.sql.js';
import { COUNTED_NAMES } from './names.sql.js';
import { jsonOf, list, number, object, type RowShape, word } from './row-shape.js';

const share = (calls: string) => number(`CASE WHEN f.tool_calls = 0 THEN 0 ELSE (${calls})::float8 / f.tool_calls END`);

/** `f` are the facts of a day, `x` its lists of names. */
export const TOOLS_ROW = {
  date: word('$1::text'),
  tool_calls: number('f.tool_calls'),
  by_tool: list('x.tool'),
  mcp_users_with_mcp: number('f.mcp_people'),
  mcp_by_server: list('x.server'),
  skills_invocations: number('f.skill_calls'),
  skills_by_name: list('x.skill'),
  slash_commands_invocations: number('f.slash_commands'),
  slash_commands_by_name: list('x.slash'),
  hooks_invocations: number('f.hooks'),
  hooks_by_event: list('x.hook'),
  web_users: number('f.web_people'),
  autonomy_ratio_avg: number('f.autonomy_ratio_avg'),
  autonomy_ratio_p50: number('f.autonomy_ratio_p50'),
  autonomy_ratio_p90: number('f.autonomy_ratio_p90'),
  tool_calls_per_session_avg: number('f.tool_calls_per_session_avg'),
  user_turns_per_session_avg: number('f.user_turns_per_session_avg'),
  tool_autonomy_level_ratio: object<AutonomyShares>({
    auto_high: share('f.auto_high'),
    auto_medium: share('f.auto_medium'),
    auto_low: share('f.auto_low'),
    manual: share('f.spec + f.manual'),
  }),
} satisfies RowShape<ToolDayRow>;

export const PRODUCTIVITY_ROW = {
  date: word('$1::text'),
  files_created: number('f.files_created'),
  files_edited: number('f.files_edited'),
  by_extension: list('x.extension'),
  by_language: list('x.language'),
  git_commits: number('f.git_commits'),
  git_prs_created: number('f.git_prs_created'),
} satisfies RowShape<ProductivityDayRow>;

/** `c` is a name with its count. */
export const TOOL_ROW = {
  date: word('$1::text'),
  group_key: { sql: 'c.json', zero: '' },
  tool_calls: number('c.n'),
} satisfies RowShape<ToolGroupRow>;

/** For each list of names: their kind, the JSON of an item up to the name, and the field with the number. */
const LISTS = {
  tool: { kind: NAME_KIND.tool, head: '{"tool":', count: 'invocations' },
  server: { kind: NAME_KIND.mcpServer, head: '{"server":', count: 'invocations' },
  skill: { kind: NAME_KIND.skill, head: '{"name":', count: 'count' },
  slash: { kind: NAME_KIND.slashCommand, head: '{"name":', count: 'count' },
  hook: { kind: NAME_KIND.hook, head: '{', count: 'count' },
  language: { kind: NAME_KIND.language, head: '{"language":', count: 'count' },
  extension: { kind: NAME_KIND.extension, head: '{"extension":', count: 'count' },
};
const lists = Object.entries(LISTS);
const ofKind = (text: (one: { head: string; count: string }) => string) =>
  `CASE c.kind ${lists.map(([, one]) => `WHEN ${one.kind} THEN '${text(one)}'`).join(' ')} END`;

/** Per organization the items of each list, by number, then by name. Servers are grouped without regard to case. */
const NAME_LISTS = `
  WITH named AS (${COUNTED_NAMES}),
  folded AS (
    SELECT c.org_id, c.kind, c.n, c.sort_name, c.json FROM named c WHERE c.kind <> ${NAME_KIND.mcpServer}
    UNION ALL
    SELECT c.org_id, c.kind, sum(c.n)::bigint, (array_agg(c.sort_name ORDER BY c.n DESC, c.sort_name))[1],
           (array_agg(c.json ORDER BY c.n DESC, c.sort_name))[1]
      FROM named c WHERE c.kind = ${NAME_KIND.mcpServer} GROUP BY c.org_id, c.kind, c.folded),
  written AS (
    SELECT c.org_id, c.kind,
           string_agg(concat(${ofKind(({ head }) => head)}, c.json, ${ofKind(({ count }) => `,"${count}":`)}, c.n, '}'), ',') AS items
      FROM (SELECT c.* FROM folded c ORDER BY c.org_id, c.kind, c.n DESC, c.sort_name) c
     GROUP BY c.org_id, c.kind),
  tools AS (
    SELECT c.org_id, string_agg(${jsonOf(TOOL_ROW)}, ',') AS rows
      FROM (SELECT c.* FROM named c WHERE c.kind = ${NAME_KIND.tool} ORDER BY c.org_id, c.sort_name) c
     GROUP BY c.org_id)
  SELECT w.org_id, max(t.rows) AS tool_rows, ${lists.map(([name, { kind }]) => `max(w.items) FILTER (WHERE w.kind = ${kind}) AS ${name}`).join(', ')}
    FROM written w LEFT JOIN tools t ON t.org_id = w.org_id GROUP BY w.org_id`;

/** All documents with names other than models, so that these are looked up once; an organization without tools has no rows of tools. */
export const NAME_DOCUMENTS = `
  SELECT f.org_id, d.kind, d.body
    FROM day_facts f
    LEFT JOIN (${NAME_LISTS}) x ON x.org_id = f.org_id
   CROSS JOIN LATERAL (VALUES (${DOCUMENT_KIND.tools}, ${jsonOf(TOOLS_ROW)}), (${DOCUMENT_KIND.productivity}, ${jsonOf(PRODUCTIVITY_ROW)}),
                              (${DOCUMENT_KIND.toolsByName}, x.tool_rows)) AS d (kind, body)
   WHERE ${ofVersion('f')} AND d.body IS NOT NULL`;
