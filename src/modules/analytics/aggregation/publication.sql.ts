import { ofVersion } from './facts/day-facts.sql.js';

/**
 * Serves version $2 of day $1 for the organizations $3, whose facts were made by the rules $5; the old version is kept for
 * responses that are still reading it.
 */
export const PUBLISH = `
  WITH replaced AS (
    INSERT INTO superseded_days (org_id, day, version, superseded_at)
    SELECT d.org_id, d.day, d.version, $4 FROM analytics_days d
     WHERE d.org_id = ANY ($3::uuid[]) AND d.day = $1::date AND d.version IS NOT NULL)
  INSERT INTO analytics_days AS d (org_id, day, version, activity_version, computed_at, daily_users, terminal_ui_users,
         web_users, headless_users, sessions, user_messages, assistant_messages, fact_rules)
  SELECT o.org_id, $1::date, $2::bigint, $2::bigint, $4, coalesce(f.people, 0), coalesce(f.terminal_ui_people, 0),
         coalesce(f.web_people, 0), coalesce(f.headless_people, 0), coalesce(f.sessions, 0),
         coalesce(f.user_messages, 0), coalesce(f.assistant_messages, 0), o.fact_rules
    FROM unnest($3::uuid[], $5::text[]) AS o (org_id, fact_rules)
    LEFT JOIN day_facts f ON f.org_id = o.org_id AND f.day = $1::date AND f.version = $2::bigint
  ON CONFLICT (org_id, day) DO UPDATE
     SET version = excluded.version, activity_version = excluded.activity_version, computed_at = excluded.computed_at,
         daily_users = excluded.daily_users, terminal_ui_users = excluded.terminal_ui_users,
         web_users = excluded.web_users, headless_users = excluded.headless_users, sessions = excluded.sessions,
         user_messages = excluded.user_messages, assistant_messages = excluded.assistant_messages,
         fact_rules = excluded.fact_rules`;

export const RECORD_CHANGE = `
  INSERT INTO analytics_changes (org_id, version)
  SELECT o.org_id, $2::bigint FROM unnest($1::uuid[]) AS o (org_id) ORDER BY o.org_id
  ON CONFLICT (org_id) DO UPDATE SET version = excluded.version`;

/**
 * Exact weekly and monthly users of every day from $1 to $2, for the organizations $3. An active day counts for 7 or 30
 * days or until the user's next active day: these spans do not overlap, so sums are exact. Missing rows up to day $6
 * are added; later rows exist only if a clock was ahead. $4 is the new version, $5 the time.
 */
export const REFRESH_ACTIVES = `
  WITH active AS (
    SELECT u.org_id, u.day, lead(u.day) OVER (PARTITION BY u.org_id, u.user_id ORDER BY u.day) AS next_day
      FROM analytics_days d
      JOIN user_days u ON u.org_id = d.org_id AND u.day = d.day AND u.version = d.version
     WHERE d.org_id = ANY ($3::uuid[]) AND d.day > $1::date - 30 AND d.day <= $2::date),
  spans AS (
    SELECT a.org_id, a.day, least(a.day + 6, a.next_day - 1) AS week_end, least(a.day + 29, a.next_day - 1) AS month_end,
           count(*) AS users
      FROM active a GROUP BY a.org_id, a.day, 3, 4)
  INSERT INTO analytics_days AS d (org_id, day, activity_version, computed_at, weekly_users, monthly_users)
  SELECT o.org_id, x.day::date, $4::bigint, $5, coalesce(sum(s.users) FILTER (WHERE s.week_end >= x.day::date), 0),
         coalesce(sum(s.users), 0)
    FROM unnest($3::uuid[]) AS o (org_id)
   CROSS JOIN generate_series($1::date, $2::date, '1 day') AS x (day)
    LEFT JOIN spans s ON s.org_id = o.org_id AND s.day <= x.day::date AND s.month_end >= x.day::date
   WHERE x.day::date <= $6::date
      OR EXISTS (SELECT FROM analytics_days e WHERE e.org_id = o.org_id AND e.day = x.day::date)
   GROUP BY o.org_id, x.day
  ON CONFLICT (org_id, day) DO UPDATE
     SET weekly_users = excluded.weekly_users, monthly_users = excluded.monthly_users,
         activity_version = excluded.activity_version, computed_at = excluded.computed_at
   WHERE (d.weekly_users, d.monthly_users) IS DISTINCT FROM (excluded.weekly_users, excluded.monthly_users)`;

/** Organizations of $1 whose rows end before the day before $2, with the first missing day. */
export const SELECT_GAPS = `
  SELECT g.org_id AS "orgId", (g.last_day + 1)::text AS "from"
    FROM (SELECT d.org_id, max(d.day) AS last_day FROM analytics_days d
           WHERE d.org_id = ANY ($1::uuid[]) AND d.day < $2::date GROUP BY d.org_id) g
   WHERE g.last_day < $2::date - 1`;

/** Organizations of $1 whose day $2 was computed before, so that its new events are late. */
export const SELECT_LATE = `
  SELECT d.org_id AS "orgId" FROM analytics_days d
   WHERE d.org_id = ANY ($1::uuid[]) AND d.day = $2::date AND d.version IS NOT NULL`;

/** The share of each organization in the computation, by users and sessions. $1 day, $2 version, $3 organizations. */
export const SELECT_WEIGHTS = `
  SELECT f.org_id AS "orgId", (f.people + f.sessions)::int AS weight FROM day_facts f WHERE ${ofVersion('f')}`;

/**
 * Records that day $1 was computed in version $2, started at $3, for the organizations $4, and pauses it for $5
 * milliseconds (null: no pause). Returns the organizations for which it had failed before.
 */
export const RECORD_COMPUTATION = `
  WITH failed AS (
    SELECT k.org_id FROM day_computations k
     WHERE k.org_id = ANY ($4::uuid[]) AND k.day = $1::date AND k.failure IS NOT NULL),
  noted AS (
    INSERT INTO day_computations (org_id, day, version, started_at, not_before)
    SELECT o.org_id, $1::date, $2::bigint, $3, $3::timestamptz + o.pause_ms * interval '1 ms'
      FROM unnest($4::uuid[], $5::int[]) AS o (org_id, pause_ms) ORDER BY o.org_id
    ON CONFLICT (org_id, day) DO UPDATE
       SET version = excluded.version, started_at = excluded.started_at, not_before = excluded.not_before, failures = 0,
           failure = NULL)
  SELECT f.org_id AS "orgId" FROM failed f`;
