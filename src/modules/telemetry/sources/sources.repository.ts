import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, toPage } from '../../../http/paging/paging.js';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { SqlParameters } from '../../../database/sql-parameters.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { SystemDatabase } from '../../../database/system-database.js';
import type { IntakeAgent } from '../../ingest/intake/intake-agents.js';

/** What requests added to a source since it was last written. */
export interface SeenSource {
  readonly userId: string;
  readonly agent: IntakeAgent;
  readonly version: string;
  readonly firstSeenAt: Date;
  seenAt: Date;
  counted: number;
  ignored: number;
  refused: number;
  /** The last reason. */
  refusal: string | null;
}

export interface Source {
  userId: string;
  userEmail: string | null;
  agent: string;
  version: string;
  firstSeenAt: Date;
  lastSeenAt: Date;
  counted: number;
  ignored: number;
  refused: number;
  refusal: string | null;
  lastRefusedAt: Date | null;
}

/** Of a user and an agent; what further ones send is counted together. */
const MAX_VERSIONS = 20;
const OTHER_VERSIONS = '(other)';
/** A notification holds 8,000 bytes. */
const ANNOUNCED_AT_ONCE = 80;

@Injectable()
export class SourcesRepository {
  constructor(
    private readonly db: OrgDatabase,
    private readonly system: SystemDatabase,
    private readonly bulk: BulkDatabase,
  ) {}

  /** Replicas that see new versions at the same moment may together exceed the number of versions a little. */
  add(orgId: string, rows: SeenSource[]): Promise<void> {
    return this.system.transaction(async (tx) => {
      announce(tx, orgId, rows);
      await this.write(tx, orgId, rows);
    });
  }

  private async write(tx: SqlTransaction, orgId: string, rows: SeenSource[]): Promise<void> {
    const numbers = (['counted', 'ignored', 'refused'] as const).map((name) => rows.map((row) => row[name]));
    // Sorted against deadlocks.
    await tx.query(
      `WITH sent AS (
         SELECT x.* FROM unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::text[],
                                $8::bigint[], $9::bigint[], $10::bigint[])
             AS x (user_id, agent, version, first_seen_at, last_seen_at, refusal, counted, ignored, refused)),
       placed AS (
         SELECT s.*, o.version IS NOT NULL AS is_known,
                count(*) FILTER (WHERE o.version IS NULL)
                  OVER (PARTITION BY s.user_id, s.agent ORDER BY s.version ROWS UNBOUNDED PRECEDING) AS place,
                (SELECT count(*) FROM telemetry_sources t
                  WHERE t.org_id = $1 AND t.user_id = s.user_id AND t.agent = s.agent
                    AND t.version <> '${OTHER_VERSIONS}') AS versions
           FROM sent s LEFT JOIN telemetry_sources o
             ON o.org_id = $1 AND o.user_id = s.user_id AND o.agent = s.agent AND o.version = s.version),
       named AS (
         SELECT p.*, CASE WHEN p.is_known OR p.versions + p.place <= ${MAX_VERSIONS} THEN p.version
                          ELSE '${OTHER_VERSIONS}' END AS name FROM placed p)
       INSERT INTO telemetry_sources AS t
              (org_id, user_id, agent, version, first_seen_at, last_seen_at, counted, ignored, refused, refusal, last_refused_at)
       SELECT $1, n.user_id, n.agent, n.name, min(n.first_seen_at), max(n.last_seen_at), sum(n.counted), sum(n.ignored),
              sum(n.refused), max(n.refusal), max(n.last_seen_at) FILTER (WHERE n.refused > 0)
         FROM named n GROUP BY n.user_id, n.agent, n.name ORDER BY n.user_id, n.agent, n.name
       ON CONFLICT (org_id, user_id, agent, version) DO UPDATE
          SET last_seen_at = greatest(t.last_seen_at, excluded.last_seen_at), counted = t.counted + excluded.counted,
              ignored = t.ignored + excluded.ignored, refused = t.refused + excluded.refused,
              refusal = coalesce(excluded.refusal, t.refusal),
              last_refused_at = coalesce(excluded.last_refused_at, t.last_refused_at)`,
      [
        ...[orgId, rows.map(({ userId }) => userId), rows.map(({ agent }) => agent)],
        ...[rows.map(({ version }) => version), rows.map(({ firstSeenAt }) => firstSeenAt)],
        ...[rows.map(({ seenAt }) => seenAt), rows.map(({ refusal }) => refusal), ...numbers],
      ],
    );
  }

  /** By user, agent and version; `onlyUserId`: of this one. */
  async listPage(orgId: string, page: PageRequest, onlyUserId: string | null): Promise<Page<Source>> {
    const p = new SqlParameters();
    const rows = await this.db.read<Source>(
      orgId,
      `SELECT s.user_id AS "userId",
              (SELECT u.email FROM users u WHERE u.org_id = s.org_id AND u.id = s.user_id) AS "userEmail",
              s.agent, s.version, s.first_seen_at AS "firstSeenAt",
              s.last_seen_at AS "lastSeenAt", s.counted::float8 AS counted, s.ignored::float8 AS ignored,
              s.refused::float8 AS refused, s.refusal, s.last_refused_at AS "lastRefusedAt"
         FROM telemetry_sources s
        WHERE s.org_id = ${p.add(orgId)} ${p.when(onlyUserId, (id) => `s.user_id = ${id}`)}
              ${p.behind(page.after, 's.user_id, s.agent, s.version', 'ascending')}
        ORDER BY s.user_id, s.agent, s.version LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows, page.limit, ({ userId, agent, version }) => [userId, agent, version]);
  }

  async deleteSeenBefore(instant: Date): Promise<void> {
    await this.bulk.upkeep(`DELETE FROM telemetry_sources s WHERE s.last_seen_at < $1`, [instant]);
  }
}

/** Versions of an agent together. */
function announce(tx: SqlTransaction, orgId: string, rows: readonly SeenSource[]): void {
  const counted = rows.filter((row) => row.counted > 0);
  const sources = [...new Map(counted.map(({ userId, agent }) => [`${userId} ${agent}`, { userId, agent }])).values()];
  for (let i = 0; i < sources.length; i += ANNOUNCED_AT_ONCE) {
    tx.notify('telemetry_counted', { orgId, sources: sources.slice(i, i + ANNOUNCED_AT_ONCE) });
  }
}
