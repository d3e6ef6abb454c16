import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, toPage } from '../../../http/paging/paging.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { SqlParameters } from '../../../database/sql-parameters.js';
import type { SqlReader, SqlTransaction } from '../../../database/sql-transaction.js';
import type { Membership } from './membership.js';
import type { Team } from './team.js';

/** A page ends early when its teams have more memberships than this. */
const MAX_PAGE_MEMBERSHIPS = 20_000;

const MEMBERSHIP = `m.user_id AS "userId", m.team_id AS "teamId", m.from_day::text AS "from", m.to_day::text AS "to"`;

/** Every statement on teams and memberships. Changes are made under `lockChanges`. */
@Injectable()
export class TeamsRepository {
  constructor(private readonly db: OrgDatabase) {}

  /** Serializes changes of the teams of one organization. */
  async lockChanges(tx: SqlTransaction, orgId: string): Promise<void> {
    await tx.query(
      `INSERT INTO team_changes AS c (org_id, revision) VALUES ($1, 0)
       ON CONFLICT (org_id) DO UPDATE SET revision = c.revision`,
      [orgId],
    );
  }

  /** Answers that depend on teams are computed again. */
  noteChange(tx: SqlTransaction, orgId: string): void {
    tx.enqueue(`UPDATE team_changes c SET revision = c.revision + 1 WHERE c.org_id = $1`, [orgId]);
  }

  /** In the order of their names. */
  async listPage(orgId: string, page: PageRequest): Promise<Page<Team>> {
    const p = new SqlParameters();
    const rows = await this.db.read<Team & { memberships: number }>(
      orgId,
      `SELECT t.id, t.name, t.name_key AS "nameKey",
              (SELECT count(*)::int FROM team_members m WHERE m.org_id = t.org_id AND m.team_id = t.id) AS memberships
         FROM teams t
        WHERE t.org_id = ${p.add(orgId)} ${p.behind(page.after, 't.name_key', 'ascending')}
        ORDER BY t.name_key LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows, Math.min(page.limit, teamsWithin(rows)), (team) => [team.nameKey]);
  }

  listAll(reader: SqlReader, orgId: string): Promise<Team[]> {
    return reader.query(
      `SELECT t.id, t.name, t.name_key AS "nameKey" FROM teams t WHERE t.org_id = $1 ORDER BY t.name_key`,
      [orgId],
    );
  }

  insert(tx: SqlTransaction, orgId: string, { id, name, nameKey }: Team, at: Date): void {
    tx.enqueue(`INSERT INTO teams (org_id, id, name, name_key, created_at) VALUES ($1, $2, $3, $4, $5)`, [
      ...[orgId, id, name, nameKey, at],
    ]);
  }

  updateName(tx: SqlTransaction, orgId: string, { id, name, nameKey }: Team): void {
    tx.enqueue(`UPDATE teams t SET name = $3, name_key = $4 WHERE t.org_id = $1 AND t.id = $2`, [
      ...[orgId, id, name, nameKey],
    ]);
  }

  delete(tx: SqlTransaction, orgId: string, teamId: string): void {
    tx.enqueue(`DELETE FROM teams t WHERE t.org_id = $1 AND t.id = $2`, [orgId, teamId]);
  }

  /** Oldest first. */
  listOfTeams(orgId: string, teamIds: string[], reader: SqlReader = this.db.reader(orgId)): Promise<Membership[]> {
    return reader.query(
      `SELECT ${MEMBERSHIP} FROM team_members m WHERE m.org_id = $1 AND m.team_id = ANY ($2::uuid[])
        ORDER BY m.from_day, m.user_id`,
      [orgId, teamIds],
    );
  }

  listOfUsers(reader: SqlReader, orgId: string, userIds: string[]): Promise<Membership[]> {
    return reader.query(
      `SELECT ${MEMBERSHIP} FROM team_members m WHERE m.org_id = $1 AND m.user_id = ANY ($2::uuid[])
        ORDER BY m.from_day, m.user_id`,
      [orgId, userIds],
    );
  }

  async countMemberships(reader: SqlReader, orgId: string, teamIds: string[]): Promise<Map<string, number>> {
    const rows = await reader.query<{ teamId: string; count: number }>(
      `SELECT m.team_id AS "teamId", count(*)::int AS count FROM team_members m
        WHERE m.org_id = $1 AND m.team_id = ANY ($2::uuid[]) GROUP BY m.team_id`,
      [orgId, teamIds],
    );
    return new Map(rows.map(({ teamId, count }) => [teamId, count]));
  }

  deleteMemberships(tx: SqlTransaction, orgId: string, memberships: readonly Membership[]): void {
    tx.enqueue(
      `DELETE FROM team_members m USING unnest($2::uuid[], $3::date[]) AS r (user_id, from_day)
        WHERE m.org_id = $1 AND m.user_id = r.user_id AND m.from_day = r.from_day`,
      [orgId, memberships.map(({ userId }) => userId), memberships.map(({ from }) => from)],
    );
  }

  async insertMemberships(tx: SqlTransaction, orgId: string, memberships: readonly Membership[]): Promise<void> {
    await tx.query(
      `INSERT INTO team_members (org_id, user_id, team_id, from_day, to_day)
       SELECT $1, a.user_id, a.team_id, a.from_day, a.to_day
         FROM unnest($2::uuid[], $3::uuid[], $4::date[], $5::date[]) AS a (user_id, team_id, from_day, to_day)`,
      [
        orgId,
        memberships.map(({ userId }) => userId),
        memberships.map(({ teamId }) => teamId),
        memberships.map(({ from }) => from),
        memberships.map(({ to }) => to),
      ],
    );
  }
}

/** How many of the first teams fit on a page; at least one. */
function teamsWithin(teams: readonly { memberships: number }[]): number {
  let sum = 0;
  const over = teams.findIndex(({ memberships }) => (sum += memberships) > MAX_PAGE_MEMBERSHIPS);
  return over === -1 ? teams.length : Math.max(over, 1);
}
