import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import type { UserEntity } from '../users/user.entity.js';
import { UsersRepository } from '../users/users.repository.js';
import { withTeamFrom } from './membership.js';
import { isTeamName, MAX_TEAMS, type Team, teamKey } from './team.js';
import { TeamMembershipsService } from './team-memberships.service.js';
import { TeamsRepository } from './teams.repository.js';
import { TeamsService } from './teams.service.js';

const SOURCE = 'JWT_TEAM_CLAIM';

export interface TeamClaim {
  readonly name: string;
  /** When the token was issued; null: it does not say. */
  readonly issuedAt: Date | null;
}

/**
 * Puts people into the team that their SSO tokens name. A claim counts when it changes: what an owner sets by hand holds until
 * the identity provider says something new.
 */
@Injectable()
export class TeamClaimsService {
  private readonly logger = new Logger(TeamClaimsService.name);

  constructor(
    private readonly db: OrgDatabase,
    private readonly users: UsersRepository,
    private readonly teams: TeamsRepository,
    private readonly teamsService: TeamsService,
    private readonly memberships: TeamMembershipsService,
    private readonly clock: Clock,
  ) {}

  /** Costs nothing while the claim is the one of the last time. */
  async follow(user: UserEntity, { name, issuedAt }: TeamClaim): Promise<void> {
    const at = issuedAt ?? this.clock.now();
    const isOld = user.teamClaimedAt !== null && at < user.teamClaimedAt;
    if (!isTeamName(name) || user.teamClaim === teamKey(name) || isOld) return;
    await this.db.transaction(user.orgId, async (tx) => {
      await this.teams.lockChanges(tx, user.orgId);
      const isNews = await this.users.updateTeamClaim(tx, user.orgId, user.id, { key: teamKey(name), at });
      const team = isNews ? await this.findOrAdd(tx, user.orgId, name) : null;
      if (team) await this.join(tx, user, team);
    });
  }

  private async findOrAdd(tx: SqlTransaction, orgId: string, name: string): Promise<Team | null> {
    const all = await this.teams.listAll(tx, orgId);
    const known = all.find(({ nameKey }) => nameKey === teamKey(name));
    if (known) return known;
    if (all.length < MAX_TEAMS) return this.teamsService.add(tx, orgId, null, name, all);
    this.logger.warn(`Organization ${orgId} has ${MAX_TEAMS} teams: no further one is added for ${SOURCE}`);
    return null;
  }

  private async join(tx: SqlTransaction, { orgId, id: userId }: UserEntity, team: Team): Promise<void> {
    const before = await this.teams.listOfUsers(tx, orgId, [userId]);
    const after = withTeamFrom(UtcDay.of(this.clock.now()), userId, team.id, before);
    await this.memberships.replace(tx, orgId, null, before, after, { source: SOURCE });
  }
}
