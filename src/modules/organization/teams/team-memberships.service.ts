import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { type Actor, AuditLogService } from '../audit/audit-log.service.js';
import { byTeam, type Difference, difference, type Membership } from './membership.js';
import { TeamsRepository } from './teams.repository.js';

/** Of each kind in an audit entry; thousands can change at once. */
const MAX_AUDITED = 100;

export interface ChangeOptions {
  /** For the audit log, where it is no person who changes something. */
  readonly source?: string;
}

/** Writes what changed, with an audit entry for each team. Under `lockChanges`. */
@Injectable()
export class TeamMembershipsService {
  constructor(
    private readonly teams: TeamsRepository,
    private readonly auditLog: AuditLogService,
  ) {}

  async replace(
    tx: SqlTransaction,
    orgId: string,
    actor: Actor,
    before: readonly Membership[],
    after: readonly Membership[],
    options: ChangeOptions = {},
  ): Promise<Difference> {
    const changes = difference(before, after);
    if (changes.removed.length === 0 && changes.added.length === 0) return changes;
    this.teams.deleteMemberships(tx, orgId, changes.removed);
    await this.teams.insertMemberships(tx, orgId, changes.added);
    this.teams.noteChange(tx, orgId);
    this.audit(tx, orgId, actor, changes, options);
    return changes;
  }

  private audit(tx: SqlTransaction, orgId: string, actor: Actor, changes: Difference, { source }: ChangeOptions): void {
    const [removed, added] = [byTeam(changes.removed), byTeam(changes.added)];
    for (const teamId of new Set([...removed.keys(), ...added.keys()])) {
      this.auditLog.record(tx, orgId, actor, {
        action: 'team.members_changed',
        target: teamId,
        before: audited('removed', removed.get(teamId) ?? []),
        after: { ...audited('added', added.get(teamId) ?? []), ...(source === undefined ? {} : { source }) },
      });
    }
  }
}

function audited(name: 'removed' | 'added', memberships: Membership[]): object {
  const shown = memberships.slice(0, MAX_AUDITED).map(({ userId, from, to }) => ({ userId, from, to }));
  return { [`${name}Count`]: memberships.length, [name]: shown };
}
