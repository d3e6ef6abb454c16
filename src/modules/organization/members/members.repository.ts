import { Injectable } from '@nestjs/common';
import type { Role } from '../../../common/access/role.enum.js';
import type { UtcDay } from '../../../common/time/utc-day.js';
import { type Page, type PageRequest, toPage } from '../../../http/paging/paging.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { SqlParameters } from '../../../database/sql-parameters.js';
import { emailKey, type UserEntity } from '../users/user.entity.js';
import { USER_COLUMNS } from '../users/users.repository.js';

export const NO_TEAM = 'none';

export interface Member {
  readonly user: UserEntity;
  readonly team: { id: string; name: string } | null;
}

export interface MemberFilter {
  /** In any letter case. */
  readonly search?: string;
  readonly role?: Role;
  readonly state?: 'active' | 'deactivated';
  /** Id, or NO_TEAM. */
  readonly team?: string;
  /** Ids with commas between them. */
  readonly ids?: string;
}

/** Reads users together with their team of a day. */
@Injectable()
export class MembersRepository {
  constructor(private readonly db: OrgDatabase) {}

  /** Oldest first, deactivated ones included. */
  async listPage(orgId: string, page: PageRequest, filter: MemberFilter, day: UtcDay): Promise<Page<Member>> {
    const p = new SqlParameters();
    const today = `${p.add(day.toString())}::date`;
    const rows = await this.db.read<UserEntity & { teamId: string | null; teamName: string | null }>(
      orgId,
      `SELECT ${USER_COLUMNS}, t.id AS "teamId", t.name AS "teamName"
         FROM users u
         LEFT JOIN team_members m ON m.org_id = u.org_id AND m.user_id = u.id
               AND m.from_day <= ${today} AND (m.to_day IS NULL OR m.to_day >= ${today})
         LEFT JOIN teams t ON t.org_id = m.org_id AND t.id = m.team_id
        WHERE u.org_id = ${p.add(orgId)}
          ${p.when(filter.search && emailKey(filter.search), (text) => contains(text))}
          ${p.when(filter.role, (role) => `u.role = ${role}`)}
          ${filter.state === undefined ? '' : `AND u.deactivated_at IS ${filter.state === 'active' ? '' : 'NOT'} NULL`}
          ${filter.team === NO_TEAM ? 'AND m.team_id IS NULL' : p.when(filter.team, (id) => `m.team_id = ${id}`)}
          ${p.when(filter.ids, (ids) => `u.id = ANY (string_to_array(${ids}, ',')::uuid[])`)}
          ${p.behind(page.after, 'u.created_at, u.id', 'ascending')}
        ORDER BY u.created_at, u.id LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows.map(toMember), page.limit, ({ user }) => [user.createdAt.toISOString(), user.id]);
  }
}

function contains(text: string): string {
  return `(strpos(u.email_key, ${text}) > 0 OR strpos(lower(u.first_name || ' ' || u.last_name), ${text}) > 0)`;
}

function toMember({
  teamId,
  teamName,
  ...user
}: UserEntity & { teamId: string | null; teamName: string | null }): Member {
  return { user, team: teamId === null ? null : { id: teamId, name: teamName ?? '' } };
}
