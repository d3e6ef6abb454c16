import { zeroUser } from '../../src/modules/analytics/zero-rows.js';
import type { GivenOrganization } from './given.js';
import { query } from './test-database.js';

export interface SeededOrganization {
  readonly org: GivenOrganization;
  readonly computerId: string;
  /** Has all messages and events. */
  readonly sessionId: string;
  /** Has every second readiness report. */
  readonly repoId: string;
}

const COMPUTER = '01980f71-0000-7000-8000-000000000001';
const OTHER_COMPUTER = '01980f71-0000-7000-8000-000000000002';
const SESSION = '01980f72-0000-7000-8000-000000000001';
const REPOSITORY = 'github.com/acme/shop';

export const USAGE_DAY = '2026-02-01';
const USER_ROW = JSON.stringify({
  ...{ ...zeroUser, user_id: 'USER', user_email: null, date: USAGE_DAY, primary_model: 'unknown' },
  ...{ primary_model_tier: 'standard', delegation_level: 'manual' },
});

/** `$1` is the organization, `$2` its owner, `$3` the number of rows. Some creation times repeat. */
const STATEMENTS = [
  `INSERT INTO users (org_id, id, email, email_key, role, created_at)
   SELECT $1, gen_random_uuid(), n || '@example.com', n || '@example.com', 'member', now() + n / 3 * interval '1 second'
     FROM generate_series(1, $3) n WHERE $2::uuid IS NOT NULL`,
  `INSERT INTO teams (org_id, id, name, name_key, created_at)
   SELECT $1, gen_random_uuid(), 'team ' || n, 'team ' || n, now() FROM generate_series(1, $3) n WHERE $2::uuid IS NOT NULL`,
  `INSERT INTO team_members (org_id, user_id, from_day, team_id)
   SELECT u.org_id, u.id, '2026-01-14', t.id
     FROM (SELECT u.org_id, u.id, row_number() OVER () AS n FROM users u WHERE u.org_id = $1) u
     JOIN (SELECT t.org_id, t.id, row_number() OVER () AS n FROM teams t WHERE t.org_id = $1) t USING (org_id, n)
    WHERE $2::uuid IS NOT NULL AND $3 > 0`,
  `INSERT INTO user_credit_limits SELECT u.org_id, u.id, 1000, now() FROM users u
    WHERE u.org_id = $1 AND $2::uuid IS NOT NULL AND $3 > 0`,
  `INSERT INTO user_month_usage
   SELECT u.org_id, u.id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 5 FROM users u
    WHERE u.org_id = $1 AND $2::uuid IS NOT NULL AND $3 > 0`,
  `INSERT INTO api_keys (org_id, id, user_id, name, prefix, key_hash, created_by, created_at)
   SELECT $1, gen_random_uuid(), u.id, 'k', 'apk_x', sha256(u.id::text::bytea), u.id, u.created_at FROM users u
    WHERE u.org_id = $1 AND $2::uuid IS NOT NULL AND $3 > 0`,
  `INSERT INTO api_keys (org_id, id, user_id, name, prefix, key_hash, created_by, created_at)
   SELECT $1, gen_random_uuid(), $2, 'k', 'apk_x', sha256(n::text::bytea), $2, now() + n / 3 * interval '1 second'
     FROM generate_series(1, $3) n`,
  `INSERT INTO sessions (org_id, id, user_id, computer_id, status, settings, created_at, updated_at)
   SELECT $1, gen_random_uuid(), CASE WHEN n % 4 < 3 THEN $2::uuid ELSE u.id END,
          CASE WHEN n % 2 = 0 THEN '${COMPUTER}' ELSE '${OTHER_COMPUTER}' END::uuid,
          'idle', '{}', now() + n / 3 * interval '1 second', now()
     FROM generate_series(1, $3) n, (SELECT id FROM users WHERE org_id = $1 AND id <> $2 LIMIT 1) u`,
  `INSERT INTO sessions (org_id, id, user_id, computer_id, status, settings, created_at, updated_at)
   SELECT $1, '${SESSION}', $2, '${COMPUTER}', 'idle', '{}', now(), now() WHERE $3 > 0`,
  `INSERT INTO messages (org_id, session_id, id, seq, user_id, role, content, search, created_at, updated_at)
   SELECT $1, '${SESSION}', gen_random_uuid(), n, $2, (ARRAY['user', 'assistant', 'tool'])[1 + n % 3],
          '[{"type":"text","text":"a needle in hay"}]', to_tsvector('simple', 'a needle in hay'),
          now() + n / 3 * interval '1 second', now()
     FROM generate_series(1, $3) n`,
  `INSERT INTO session_events SELECT $1, '${SESSION}', n, 'status.changed', NULL, 'idle', now()
     FROM generate_series(1, $3) n WHERE $2::uuid IS NOT NULL`,
  `INSERT INTO organization_settings SELECT $1, 'owners' WHERE $2::uuid IS NOT NULL AND $3 > 0`,
  `INSERT INTO enterprise_controls SELECT $1, n, '{}', $2, 'owner@example.com', '', now() FROM generate_series(1, $3) n`,
  `INSERT INTO audit_log (org_id, id, at, action, target)
   SELECT $1, gen_random_uuid(), now() + n / 3 * interval '1 second', 'x', 'y' FROM generate_series(1, $3) n
    WHERE $2::uuid IS NOT NULL`,
  `INSERT INTO readiness_reports (org_id, id, repo_url, repo_key, apps, report, created_at)
   SELECT $1, gen_random_uuid(), 'https://' || key, key, '{}',
          '{"readme":{"numerator":1,"denominator":1,"rationale":"It has one."}}', now() + n / 3 * interval '1 second'
     FROM generate_series(1, $3) n,
          LATERAL (SELECT CASE WHEN n % 2 = 0 THEN '${REPOSITORY}' ELSE 'github.com/acme/other' || n % 10 END AS key) r
    WHERE $2::uuid IS NOT NULL`,
  `INSERT INTO telemetry_sources (org_id, user_id, agent, version, first_seen_at, last_seen_at, counted, ignored, refused)
   SELECT u.org_id, u.id, 'claude-code', '1.0', now(), now(), 1, 0, 0 FROM users u
    WHERE u.org_id = $1 AND $2::uuid IS NOT NULL AND $3 > 0`,
  `INSERT INTO analytics_days (org_id, day, version, activity_version, computed_at)
   SELECT $1, '${USAGE_DAY}', 1, 1, now() WHERE $2::uuid IS NOT NULL AND $3 > 0`,
  `INSERT INTO user_days (org_id, user_id, day, version, body)
   SELECT u.org_id, u.id, '${USAGE_DAY}', 1, replace('${USER_ROW}', 'USER', u.id::text) FROM users u
    WHERE u.org_id = $1 AND $2::uuid IS NOT NULL AND $3 > 0`,
];

/** Fills every list with about `count` rows. */
export async function seedLists(url: string, org: GivenOrganization, count: number): Promise<SeededOrganization> {
  for (const sql of STATEMENTS) {
    const typed = sql.replaceAll('$1', '$1::uuid').replaceAll('$3', '$3::int').replaceAll('$2::uuid', '$2');
    await query(url, typed.replaceAll('$2', '$2::uuid'), [org.id, org.owner.id, count]);
  }
  return { org, computerId: COMPUTER, sessionId: SESSION, repoId: REPOSITORY };
}
