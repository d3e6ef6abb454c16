import { Injectable } from '@nestjs/common';
import { ConflictError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/new-id.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import type { Actor } from '../audit/audit-log.service.js';
import { byTeam, type Difference, difference, findOverlaps, MAX_MEMBERSHIPS, type Membership } from './membership.js';
import { MAX_TEAMS, type Team, teamKey } from './team.js';
import { TeamMembershipsService } from './team-memberships.service.js';
import { TeamsRepository } from './teams.repository.js';
import { TeamsService } from './teams.service.js';

/** A membership in a team that may not exist yet. */
export interface Assignment extends Omit<Membership, 'teamId'> {
  readonly team: string;
}

export interface AssignmentResult {
  readonly createdTeams: string[];
  readonly added: number;
  readonly removed: number;
}

/** Replaces the memberships of people by name of the team, which is created if it is missing. */
@Injectable()
export class TeamAssignmentsService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly teams: TeamsRepository,
    private readonly teamsService: TeamsService,
    private readonly memberships: TeamMembershipsService,
  ) {}

  /** Everybody who is mentioned is afterwards in these teams only; others stay where they are. `dryRun` writes nothing. */
  assign(
    orgId: string,
    actor: Actor,
    assignments: readonly Assignment[],
    { dryRun = false, source }: { dryRun?: boolean; source?: string } = {},
  ): Promise<AssignmentResult> {
    return this.db.transaction(orgId, async (tx) => {
      await this.teams.lockChanges(tx, orgId);
      const known = await this.teams.listAll(tx, orgId);
      const missing = missingTeams(assignments, known);
      if (known.length + missing.length > MAX_TEAMS) {
        throw new ConflictError(
          `An organization may have ${MAX_TEAMS} teams: ${known.length} exist, ${missing.length} would be added.`,
        );
      }
      const created = dryRun ? missing.map(unwritten) : this.create(tx, orgId, actor, missing, known);
      const before = await this.membershipsOf(orgId, assignments, tx);
      const after = withTeams(assignments, [...known, ...created]);
      const [overlap] = findOverlaps(after);
      if (overlap) throw new ConflictError(`User ${overlap.later.userId} is in two teams on ${overlap.day}.`);
      const { added, removed } = difference(before, after);
      await this.requireRoom(tx, orgId, { added, removed }, [...known, ...created]);
      if (!dryRun) await this.memberships.replace(tx, orgId, actor, before, after, { source });
      return { createdTeams: missing, added: added.length, removed: removed.length };
    });
  }

  /** Those who were in a team on any day. */
  async peopleWithTeam(orgId: string, userIds: string[]): Promise<Set<string>> {
    const memberships = await this.teams.listOfUsers(this.db.reader(orgId), orgId, userIds);
    return new Set(memberships.map(({ userId }) => userId));
  }

  private membershipsOf(orgId: string, assignments: readonly Assignment[], tx: SqlTransaction): Promise<Membership[]> {
    return this.teams.listOfUsers(tx, orgId, [...new Set(assignments.map(({ userId }) => userId))]);
  }

  private async requireRoom(tx: SqlTransaction, orgId: string, changes: Difference, teams: Team[]): Promise<void> {
    const [added, removed] = [byTeam(changes.added), byTeam(changes.removed)];
    const counts = await this.teams.countMemberships(tx, orgId, [...added.keys()]);
    for (const [teamId, { length }] of added) {
      const count = (counts.get(teamId) ?? 0) + length - (removed.get(teamId)?.length ?? 0);
      if (count <= MAX_MEMBERSHIPS) continue;
      const name = teams.find(({ id }) => id === teamId)?.name;
      throw new ConflictError(`A team may have ${MAX_MEMBERSHIPS} memberships; "${name}" would have ${count}.`);
    }
  }

  private create(tx: SqlTransaction, orgId: string, actor: Actor, names: string[], known: Team[]): Team[] {
    const all = [...known];
    for (const name of names) all.push(this.teamsService.add(tx, orgId, actor, name, all));
    return all.slice(known.length);
  }
}

/** In the spelling in which each is mentioned first. */
function missingTeams(assignments: readonly Assignment[], known: readonly Team[]): string[] {
  const names = new Map<string, string>();
  for (const { team } of assignments) if (!names.has(teamKey(team))) names.set(teamKey(team), team);
  for (const { nameKey } of known) names.delete(nameKey);
  return [...names.values()];
}

function unwritten(name: string): Team {
  return { id: newId(), name, nameKey: teamKey(name) };
}

function withTeams(assignments: readonly Assignment[], teams: readonly Team[]): Membership[] {
  const ids = new Map(teams.map(({ id, nameKey }) => [nameKey, id]));
  return assignments.map(({ team, userId, from, to }) => ({ teamId: ids.get(teamKey(team)) ?? '', userId, from, to }));
}
