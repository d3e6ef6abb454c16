import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { ConflictError, InvalidRequestError, NotFoundError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/new-id.js';
import { Clock } from '../../../common/time/clock.js';
import type { Page, PageRequest } from '../../../http/paging/paging.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { type Actor, AuditLogService } from '../audit/audit-log.service.js';
import { UsersRepository } from '../users/users.repository.js';
import { byTeam, findOverlaps, type Membership } from './membership.js';
import { isTeamName, MAX_TEAMS, NAME_RULE, type Team, teamKey } from './team.js';
import { TeamMembershipsService } from './team-memberships.service.js';
import { TeamsRepository } from './teams.repository.js';

export interface TeamWithMembers extends Team {
  readonly members: Membership[];
}

/** Teams of an organization and who is in them from when to when. */
@Injectable()
export class TeamsService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly teams: TeamsRepository,
    private readonly memberships: TeamMembershipsService,
    private readonly users: UsersRepository,
    private readonly auditLog: AuditLogService,
    private readonly clock: Clock,
  ) {}

  async list({ orgId }: Principal, request: PageRequest): Promise<Page<TeamWithMembers>> {
    const { items, next } = await this.teams.listPage(orgId, request);
    const ids = items.map(({ id }) => id);
    const members = byTeam(await this.teams.listOfTeams(orgId, ids));
    return { items: items.map((team) => ({ ...team, members: members.get(team.id) ?? [] })), next };
  }

  async create(tx: SqlTransaction, orgId: string, actor: Actor, name: string): Promise<TeamWithMembers> {
    await this.teams.lockChanges(tx, orgId);
    const team = this.add(tx, orgId, actor, name, await this.teams.listAll(tx, orgId));
    return { ...team, members: [] };
  }

  /** Under `lockChanges`; `others` are all teams there are. */
  add(tx: SqlTransaction, orgId: string, actor: Actor, name: string, others: readonly Team[]): Team {
    requireUsable(name, others);
    if (others.length >= MAX_TEAMS) throw new ConflictError(`An organization may have ${MAX_TEAMS} teams.`);
    const team = { id: newId(), name, nameKey: teamKey(name) };
    this.teams.insert(tx, orgId, team, this.clock.now());
    this.teams.noteChange(tx, orgId);
    this.auditLog.record(tx, orgId, actor, { action: 'team.created', target: team.id, after: { name } });
    return team;
  }

  rename(caller: Principal, teamId: string, name: string): Promise<TeamWithMembers> {
    return this.change(caller, teamId, async (tx, team, all) => {
      const others = all.filter(({ id }) => id !== teamId);
      requireUsable(name, others);
      const renamed = { ...team, name, nameKey: teamKey(name) };
      const members = await this.teams.listOfTeams(caller.orgId, [teamId], tx);
      if (name === team.name) return { ...team, members };
      this.teams.updateName(tx, caller.orgId, renamed);
      this.teams.noteChange(tx, caller.orgId);
      const [before, after] = [{ name: team.name }, { name }];
      this.auditLog.record(tx, caller.orgId, caller, { action: 'team.renamed', target: teamId, before, after });
      return { ...renamed, members };
    });
  }

  /** Only without members: figures of the past would move to `(none)` unasked. */
  async delete(caller: Principal, teamId: string): Promise<void> {
    await this.change(caller, teamId, async (tx, { name }) => {
      const { length } = await this.teams.listOfTeams(caller.orgId, [teamId], tx);
      if (length > 0) {
        throw new ConflictError(
          `The team "${name}" has ${length} memberships, past ones included, and figures that count for it. ` +
            `Replace its members with an empty list first; what they did there then counts for no team.`,
        );
      }
      this.teams.delete(tx, caller.orgId, teamId);
      this.teams.noteChange(tx, caller.orgId);
      this.auditLog.record(tx, caller.orgId, caller, { action: 'team.deleted', target: teamId, before: { name } });
    });
  }

  /** `members` are all of the team's, in the order in which they were sent. */
  replaceMembers(caller: Principal, teamId: string, members: readonly Membership[]): Promise<TeamWithMembers> {
    return this.change(caller, teamId, async (tx, team, all) => {
      requireOnceADay(members);
      await this.requireNoOtherTeam(tx, caller.orgId, teamId, members, all);
      const before = await this.teams.listOfTeams(caller.orgId, [teamId], tx);
      await this.memberships.replace(tx, caller.orgId, caller, before, members);
      return { ...team, members: await this.teams.listOfTeams(caller.orgId, [teamId], tx) };
    });
  }

  private change<T>(
    { orgId }: Principal,
    teamId: string,
    work: (tx: SqlTransaction, team: Team, all: Team[]) => Promise<T>,
  ): Promise<T> {
    return this.db.transaction(orgId, async (tx) => {
      await this.teams.lockChanges(tx, orgId);
      const all = await this.teams.listAll(tx, orgId);
      const team = all.find(({ id }) => id === teamId);
      if (!team) throw new NotFoundError('team', teamId);
      return work(tx, team, all);
    });
  }

  private async requireNoOtherTeam(
    tx: SqlTransaction,
    orgId: string,
    teamId: string,
    members: readonly Membership[],
    teams: readonly Team[],
  ): Promise<void> {
    const userIds = [...new Set(members.map(({ userId }) => userId))];
    const emails = await this.users.listEmails(tx, orgId, userIds);
    const unknown = userIds.find((userId) => !emails.has(userId));
    if (unknown !== undefined) throw new NotFoundError('user', unknown);
    const elsewhere = (await this.teams.listOfUsers(tx, orgId, userIds)).filter((other) => other.teamId !== teamId);
    const [overlap] = findOverlaps([...members, ...elsewhere]);
    if (!overlap) return;
    const { day, earlier, later } = overlap;
    const other = teams.find(({ id }) => id === (earlier.teamId === teamId ? later : earlier).teamId);
    throw new ConflictError(
      `${emails.get(later.userId) ?? later.userId} is in the team "${other?.name}" on ${day}; ` +
        `nobody is in two teams on the same day. End that membership first.`,
    );
  }
}

function requireUsable(name: string, others: readonly Team[]): void {
  if (!isTeamName(name)) throw InvalidRequestError.ofField('name', NAME_RULE);
  const same = others.find(({ nameKey }) => nameKey === teamKey(name));
  if (same) throw new ConflictError(`There is a team "${same.name}" already.`);
}

function requireOnceADay(members: readonly Membership[]): void {
  const placed = members.map((membership, place) => ({ ...membership, place }));
  const [overlap] = findOverlaps(placed);
  if (!overlap) return;
  const { day, later, earlier } = overlap;
  throw InvalidRequestError.ofField(
    `members.${later.place}`,
    `the user "${later.userId}" is in the list on ${day} already, in members.${earlier.place}`,
  );
}
