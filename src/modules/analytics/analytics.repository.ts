import { Injectable } from '@nestjs/common';
import type { UtcDay } from '../../common/time/utc-day.js';
import { AnalyticsLoad } from './analytics-load.js';
import type { AnalyticsRange } from './analytics-range.js';
import type { DocumentKind } from './day-documents.js';
import type { Fragment } from './spliced-gzip.js';

/** Changes whenever the response would. */
export interface RangeState {
  /** Sums of versions, which only grow: a rebuilt day or an erasure makes the sum larger. */
  versions: string;
  activityVersions: string;
  computedAt: Date | null;
  lastRow: string | null;
  /** Events not counted yet, also on earlier days that count in the monthly users of the range. */
  hasDirtyDays: boolean;
  /** Version of the organization's last change; null when nothing was computed yet. */
  lastChange: string | null;
}

/** `storedBytes` is null when the day has no document of the wanted kind. */
export interface DayVersion {
  day: string;
  version: string | null;
  storedBytes: number | null;
}

export type StoredDocument = { day: string } & ({ body: string; bytes: null } | ({ body: null } & Fragment));

/** Null when nothing is stored for the range. */
export interface StoredActivity {
  firstDay: string;
  rows: string;
}

export interface ClientUsers {
  day: string;
  terminalUiUsers: number;
  webUsers: number;
  headlessUsers: number;
}

/** In the range $2 to $3, or on the days before it that count in its monthly users. */
const HAS_DIRTY_DAYS = `EXISTS (SELECT FROM dirty_days m WHERE m.org_id = $1 AND m.day >= $2::date - 29 AND m.day <= $3)`;

@Injectable()
export class AnalyticsRepository {
  constructor(private readonly load: AnalyticsLoad) {}

  async findState(orgId: string, { start, end }: AnalyticsRange): Promise<RangeState> {
    const [state] = await this.load.read<RangeState>(
      orgId,
      `SELECT count(d.version) || '.' || coalesce(sum(d.version), 0) || coalesce((
                SELECT '.' || c.erasures FROM analytics_changes c WHERE c.org_id = $1 AND c.erasures > 0), '') AS versions,
              count(*) || '.' || coalesce(sum(d.activity_version), 0) AS "activityVersions",
              max(d.computed_at) AS "computedAt",
              (SELECT max(l.day)::text FROM analytics_days l WHERE l.org_id = $1) AS "lastRow",
              (SELECT c.version FROM analytics_changes c WHERE c.org_id = $1) AS "lastChange", ${HAS_DIRTY_DAYS} AS "hasDirtyDays"
         FROM analytics_days d WHERE d.org_id = $1 AND d.day >= $2::date AND d.day <= $3`,
      [orgId, start.toString(), end.toString()],
    );
    if (!state) throw new Error('An aggregate without a row');
    return state;
  }

  /** Whether the response is still current; two index look-ups. */
  async isUnchanged(orgId: string, { start, end }: AnalyticsRange, lastChange: string | null): Promise<boolean> {
    const rows = await this.load.read(
      orgId,
      `SELECT FROM analytics_changes c WHERE c.org_id = $1 AND c.version = $4 AND NOT ${HAS_DIRTY_DAYS}`,
      [orgId, start.toString(), end.toString(), lastChange],
      'is-unchanged',
    );
    return rows.length > 0;
  }

  /** Days with events not computed since the day ended; a start after `now` is of a clock that was ahead. */
  async listUncomputed(orgId: string, from: UtcDay, to: UtcDay, now: Date): Promise<string[]> {
    const rows = await this.load.read<{ day: string }>(
      orgId,
      `SELECT DISTINCT m.day::text AS day FROM dirty_days m
        WHERE m.org_id = $1 AND m.day >= $2 AND m.day <= $3 AND NOT EXISTS (
              SELECT FROM analytics_days c
                LEFT JOIN day_computations k ON k.org_id = $1 AND k.day = c.day AND k.version = c.version
               WHERE c.org_id = $1 AND c.day = m.day AND c.version IS NOT NULL
                 AND (k.started_at IS NULL
                      OR (k.started_at >= (c.day + 1)::timestamp AT TIME ZONE 'UTC' AND k.started_at <= $4))) ORDER BY 1`,
      [orgId, from.toString(), to.toString(), now],
    );
    return rows.map(({ day }) => day);
  }

  listVersions(orgId: string, { start, end }: AnalyticsRange, kind: DocumentKind | null): Promise<DayVersion[]> {
    return this.load.read(
      orgId,
      `SELECT d.day::text AS day, d.version, x.stored_bytes AS "storedBytes"
         FROM analytics_days d
         LEFT JOIN day_documents x ON x.org_id = $1 AND x.kind = $4 AND x.day = d.day AND x.version = d.version
        WHERE d.org_id = $1 AND d.day >= $2 AND d.day <= $3 ORDER BY d.day`,
      [orgId, start.toString(), end.toString(), kind],
    );
  }

  /** In order; fewer when a version was deleted meanwhile. */
  listDocuments(orgId: string, kind: DocumentKind, days: readonly DayVersion[]): Promise<StoredDocument[]> {
    return this.load.readBegun(
      orgId,
      `SELECT x.day::text AS day, x.body, x.fragment AS bytes, x.plain_bytes::float8 AS "plainBytes",
              x.plain_crc::float8 AS "plainCrc"
         FROM unnest($3::date[], $4::bigint[]) AS p (day, version)
         JOIN day_documents x ON x.org_id = $1 AND x.kind = $2 AND x.day = p.day AND x.version = p.version
        ORDER BY x.day`,
      [orgId, kind, days.map(({ day }) => day), days.map(({ version }) => version)],
    );
  }

  /** The days of an organization have no gaps; before the first one there was no activity. */
  async findActivity(orgId: string, { start, end }: AnalyticsRange): Promise<StoredActivity | null> {
    const [stored] = await this.load.read<StoredActivity>(
      orgId,
      `SELECT min(d.day)::text AS "firstDay", string_agg(d.activity_row, ',' ORDER BY d.day) AS rows
         FROM analytics_days d WHERE d.org_id = $1 AND d.day >= $2 AND d.day <= $3 HAVING count(*) > 0`,
      [orgId, start.toString(), end.toString()],
    );
    return stored ?? null;
  }

  listClientUsers(orgId: string, { start, end }: AnalyticsRange): Promise<ClientUsers[]> {
    return this.load.read(
      orgId,
      `SELECT d.day::text AS day, d.terminal_ui_users AS "terminalUiUsers", d.web_users AS "webUsers",
              d.headless_users AS "headlessUsers"
         FROM analytics_days d WHERE d.org_id = $1 AND d.day >= $2 AND d.day <= $3 ORDER BY d.day`,
      [orgId, start.toString(), end.toString()],
    );
  }

  /** By id, after `after`; superseded versions serve as well as current ones. */
  async listActiveUsers(
    orgId: string,
    { start, end }: AnalyticsRange,
    after: string | null,
    limit: number,
  ): Promise<string[]> {
    const rows = await this.load.read<{ id: string }>(
      orgId,
      `SELECT u.id FROM users u
        WHERE u.org_id = $1 AND u.id > $4 AND EXISTS (
              SELECT FROM user_days d
               WHERE d.org_id = $1 AND d.user_id = u.id AND d.user_id > $4 AND d.day >= $2 AND d.day <= $3)
        ORDER BY u.id LIMIT $5`,
      [orgId, start.toString(), end.toString(), after ?? '00000000-0000-0000-0000-000000000000', limit],
    );
    return rows.map(({ id }) => id);
  }

  async listUserRows(orgId: string, userIds: string[], days: readonly DayVersion[]): Promise<string[]> {
    const rows = await this.load.readBegun<{ rows: string }>(
      orgId,
      `SELECT string_agg(d.body, ',' ORDER BY d.day) AS rows
         FROM user_days d
         JOIN unnest($3::date[], $4::bigint[]) AS p (day, version) ON p.day = d.day AND p.version = d.version
        WHERE d.org_id = $1 AND d.user_id = ANY ($2::uuid[]) AND d.day >= $5 AND d.day <= $6
        GROUP BY d.user_id ORDER BY d.user_id`,
      [
        orgId,
        userIds,
        days.map(({ day }) => day),
        days.map(({ version }) => version),
        days[0]?.day ?? null,
        days.at(-1)?.day ?? null,
      ],
    );
    return rows.map((row) => row.rows);
  }
}
