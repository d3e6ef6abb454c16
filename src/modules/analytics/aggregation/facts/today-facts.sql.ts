import type { UtcDay } from '../../../../common/time/utc-day.js';
import { EVENT_KIND, NAME_KIND } from '../../../ingest/event-codes.js';
import { type CountedFigure, TOKEN_COLUMNS, TOKEN_SUMS } from './figures.js';
import { countOf, type EventSource, type ModelSource, priceClasses } from './user-facts.sql.js';

/*
 * The running day of one organization. Rows are of a user, with the hours of the day as bits, or else of an hour: both are
 * counted while events are read once. Grouping by user and hour together would give almost as many rows as events.
 */

export const TODAY_FIGURES = [
  'tool_calls',
  'user_messages',
  'assistant_messages',
  'files_created',
  'files_edited',
  'git_commits',
  'git_prs_created',
] as const satisfies readonly CountedFigure[];

export interface RunningDay extends EventSource {
  readonly day: UtcDay;
}

const hourOf = (day: UtcDay) => `date_part('hour', e.at - timestamptz '${day} 00:00+00')::int`;
const HOURS = 'bit_or(1 << e.hour)';

export const selectActivity = ({ table, orgs, day }: RunningDay) => `
  SELECT f.*, x.email
    FROM (SELECT e.org_id, e.user_id, e.hour, ${HOURS} AS hours, ${TODAY_FIGURES.map((figure) => `${countOf(figure)} AS ${figure}`).join(', ')}
            FROM (SELECT e.*, ${hourOf(day)} AS hour FROM ${table} e WHERE e.org_id = ANY (${orgs}::uuid[])) e
           GROUP BY e.org_id, GROUPING SETS ((e.user_id), (e.hour))) f
    LEFT JOIN users x ON x.org_id = f.org_id AND x.id = f.user_id AND x.org_id = ANY (${orgs}::uuid[])`;

/**
 * Tokens per model and price class, of a user also per client as in the facts of a closed day. Rows without a model are
 * sessions that were started.
 */
export function selectCalls({ table, orgs, day, classes }: RunningDay & ModelSource): string {
  const { above, minute, join } = priceClasses(classes);
  const ofCall = (sql: string) => `CASE WHEN e.kind = ${EVENT_KIND.model_call} THEN ${sql} END`;
  return `
  SELECT f.user_id, f.hour, f.hours, f.model_id, n.name, f.above, f.minute, ${TOKEN_COLUMNS.map((column) => `f.${column}`).join(', ')}
    FROM (SELECT e.org_id, e.user_id, e.hour, e.model_id, e.above, e.minute,
                 CASE WHEN e.model_id IS NULL THEN ${HOURS} END AS hours,
                 ${TOKEN_COLUMNS.map((column) => `${TOKEN_SUMS[column]} AS ${column}`).join(', ')}
            FROM (SELECT e.*, ${hourOf(day)} AS hour, ${ofCall('e.name_id')} AS model_id, ${ofCall('e.client')} AS called_in,
                         ${ofCall(above)} AS above, ${ofCall(minute)} AS minute,
                         CASE WHEN e.kind = ${EVENT_KIND.session_started} THEN e.session_id END AS started_id
                    FROM ${table} e ${join}
                   WHERE e.org_id = ANY (${orgs}::uuid[])
                     AND (e.kind = ${EVENT_KIND.model_call}
                          OR e.kind = ${EVENT_KIND.session_started} AND e.session_id IS NOT NULL)) e
           GROUP BY e.org_id, e.model_id, e.above, e.minute,
                    GROUPING SETS ((e.user_id, e.called_in, e.started_id), (e.hour))) f
    LEFT JOIN event_names n ON n.org_id = f.org_id AND n.id = f.model_id AND n.org_id = ANY (${orgs}::uuid[])
                           AND n.kind = ${NAME_KIND.model}`;
}

/** How often each user called each tool. */
export const selectUserTools = ({ table, orgs }: EventSource) => `
  SELECT c.user_id, n.name AS tool, c.n AS count
    FROM (SELECT e.org_id, e.user_id, e.name_id, count(*)::int AS n
            FROM ${table} e WHERE e.org_id = ANY (${orgs}::uuid[]) AND e.kind = ${EVENT_KIND.tool_call}
           GROUP BY e.org_id, e.user_id, e.name_id) c
    JOIN event_names n ON n.org_id = c.org_id AND n.id = c.name_id
   WHERE n.org_id = ANY (${orgs}::uuid[]) AND n.kind = ${NAME_KIND.tool}`;
