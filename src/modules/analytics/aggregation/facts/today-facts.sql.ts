import { EVENT_KIND, NAME_KIND } from '../../../ingest/event-codes.js';
import { type CountedFigure, TOKEN_COLUMNS } from './figures.js';
import { countOf, type EventSource, HOUR, type ModelSource, selectUserModelFacts } from './user-facts.sql.js';

/* The running day of one organization. Rows are of a user, or else of an hour: what both need is read from events once. */

export const TODAY_FIGURES = [
  'tool_calls',
  'user_messages',
  'assistant_messages',
  'files_created',
  'files_edited',
  'git_commits',
  'git_prs_created',
] as const satisfies readonly CountedFigure[];
const eachFigure = (sql: (figure: CountedFigure) => string) =>
  TODAY_FIGURES.map((figure) => `${sql(figure)} AS ${figure}`).join(', ');

/** Figures, with the number of people. Hours come in order. */
export const selectActivity = ({ table, orgs }: EventSource) => `
  SELECT f.*, x.email
    FROM (SELECT u.org_id, u.user_id, u.hour, count(*)::int AS people, ${eachFigure((figure) => `sum(u.${figure})::int`)}
            FROM (SELECT e.org_id, e.user_id, ${HOUR} AS hour, ${eachFigure(countOf)}
                    FROM ${table} e WHERE e.org_id = ANY (${orgs}::uuid[])
                   GROUP BY e.org_id, e.user_id, 3) u
           GROUP BY u.org_id, GROUPING SETS ((u.user_id), (u.hour))) f
    LEFT JOIN users x ON x.org_id = f.org_id AND x.id = f.user_id AND x.org_id = ANY (${orgs}::uuid[])
   ORDER BY f.hour`;

/** Sessions that were started. One that was started twice counts once. */
export const selectSessions = ({ table, orgs }: EventSource) => `
  SELECT s.user_id, s.hour, count(DISTINCT (s.user_id, s.session_id))::int AS sessions
    FROM (SELECT e.user_id, e.session_id, ${HOUR} AS hour
            FROM ${table} e
           WHERE e.org_id = ANY (${orgs}::uuid[]) AND e.kind = ${EVENT_KIND.session_started} AND e.session_id IS NOT NULL) s
   GROUP BY GROUPING SETS ((s.user_id), (s.hour))`;

/** Tokens per model and price class. `untold`: cache writes of which the time to live is not known. */
export const selectModels = (source: Omit<ModelSource, 'isByHour'>) => `
  SELECT m.*, n.name
    FROM (SELECT m.org_id, m.user_id, m.hour, m.model_id, m.above, m.minute,
                 ${TOKEN_COLUMNS.map((column) => `sum(m.${column}) AS ${column}`).join(', ')},
                 coalesce(sum(m.cache_write) FILTER (WHERE m.cache_write_1h IS NULL), 0) AS untold
            FROM (${selectUserModelFacts({ ...source, isByHour: true })}) m
           GROUP BY m.org_id, m.model_id, m.above, m.minute, GROUPING SETS ((m.user_id), (m.hour))) m
    JOIN event_names n ON n.org_id = m.org_id AND n.id = m.model_id
   WHERE n.org_id = ANY (${source.orgs}::uuid[]) AND n.kind = ${NAME_KIND.model}`;

/** How often each user called each tool. */
export const selectUserTools = ({ table, orgs }: EventSource) => `
  SELECT c.user_id, n.name AS tool, c.n AS count
    FROM (SELECT e.org_id, e.user_id, e.name_id, count(*)::int AS n
            FROM ${table} e WHERE e.org_id = ANY (${orgs}::uuid[]) AND e.kind = ${EVENT_KIND.tool_call}
           GROUP BY e.org_id, e.user_id, e.name_id) c
    JOIN event_names n ON n.org_id = c.org_id AND n.id = c.name_id
   WHERE n.org_id = ANY (${orgs}::uuid[]) AND n.kind = ${NAME_KIND.tool}`;
