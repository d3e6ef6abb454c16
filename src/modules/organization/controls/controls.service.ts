import { Injectable, Logger } from '@nestjs/common';
import { NIL as NIL_UUID } from 'uuid';
import type { Principal } from '../../../common/access/principal.js';
import { boundedCache } from '../../../common/bounded-cache.js';
import { expandAutonomyMode } from '../../../common/agent-settings/agent-settings.js';
import { ConflictError, DomainError, ForbiddenError } from '../../../common/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/paging/paging.js';
import { Clock } from '../../../common/time/clock.js';
import { CoherentCache } from '../../../database/coherent-cache.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { Notifications } from '../../../database/notifications.js';
import { type Actor, AuditLogService } from '../audit/audit-log.service.js';
import { UsersRepository } from '../users/users.repository.js';
import { type ControlSecret, ControlSecrets } from './control-secrets.js';
import { type ControlsRevision, ControlsRepository, type SessionRetention } from './controls.repository.js';
import type { EnterpriseControls } from './enterprise-controls.js';
import { isAddressWithin } from './network-policy.js';

const MAX_CACHED = 10_000;

export interface ControlsChange {
  settings: EnterpriseControls;
  /** From If-Match; null: none was sent. */
  expectedRevision: number | null;
  /** The owner's address: a network policy must not lock its author out. */
  address: string;
}

/** Enterprise controls: an organization's settings for its agents, in revisions. */
@Injectable()
export class ControlsService {
  private readonly logger = new Logger('Controls');
  private readonly warned = boundedCache<string>(MAX_CACHED);
  private readonly cache: CoherentCache<{ orgId: string; settings: EnterpriseControls }, 'controls_changed'>;

  constructor(
    private readonly db: OrgDatabase,
    private readonly revisions: ControlsRepository,
    private readonly secrets: ControlSecrets,
    private readonly users: UsersRepository,
    private readonly auditLog: AuditLogService,
    private readonly clock: Clock,
    notifications: Notifications,
  ) {
    this.cache = new CoherentCache(notifications, {
      maxEntries: MAX_CACHED,
      topic: 'controls_changed',
      concerns: ({ orgId }, change) => orgId === change.orgId,
    });
  }

  /** The current settings with sealed secrets; a change on any replica is seen within one second. */
  async current(orgId: string): Promise<EnterpriseControls> {
    const known = await this.cache.get(orgId, async () => {
      return { orgId, settings: (await this.revisions.findCurrent(orgId))?.settings ?? {} };
    });
    return known?.settings ?? {};
  }

  /** The current settings with open secrets: for agents only, never for a response. */
  async forAgents(orgId: string): Promise<EnterpriseControls> {
    const unreadable: string[] = [];
    const settings = await this.secrets.open(await this.current(orgId), (field) => unreadable.push(field));
    if (unreadable.length > 0) this.warnOfUnreadable(orgId, unreadable.join(', '));
    return settings;
  }

  /** The secrets in settings, or a part of them, that `forAgents` has opened. */
  secretsIn(orgId: string, opened: EnterpriseControls): Promise<ControlSecret[]> {
    return this.secrets.list(orgId, opened);
  }

  withoutSecrets(opened: EnterpriseControls): Promise<EnterpriseControls> {
    return this.secrets.withhold(opened);
  }

  /** Throws when the network policy does not allow the caller's address. */
  async requireAllowedAddress({ orgId, address }: Pick<Principal, 'orgId' | 'address'>): Promise<void> {
    const { networkPolicy } = await this.current(orgId);
    if (address !== undefined && networkPolicy?.allowedIps && !isAddressWithin(address, networkPolicy.allowedIps)) {
      throw new ForbiddenError(`The policy networkPolicy.allowedIps does not allow requests from ${address}.`);
    }
  }

  listSessionRetentions(): Promise<SessionRetention[]> {
    return this.revisions.listSessionRetentions();
  }

  /** Secrets masked; null when nothing was ever set. */
  async get(caller: Principal): Promise<ControlsRevision | null> {
    const revision = await this.revisions.findCurrent(caller.orgId);
    return revision && this.shown(revision);
  }

  async history(caller: Principal, page: PageRequest): Promise<Page<ControlsRevision>> {
    const { items, next } = await this.revisions.listPage(caller.orgId, page);
    return { items: await Promise.all(items.map((revision) => this.shown(revision))), next };
  }

  /** Stores the next revision. Concurrent changes are serialized. */
  async replace(caller: Principal, change: ControlsChange): Promise<ControlsRevision> {
    const allowed = change.settings.networkPolicy?.allowedIps;
    if (allowed && !isAddressWithin(change.address, allowed)) {
      throw new ConflictError(`networkPolicy.allowedIps would lock you out: you are calling from ${change.address}.`);
    }
    const author = await this.users.findById(caller.orgId, caller.userId);
    const name = author ? `${author.firstName} ${author.lastName}`.trim() : '';
    const user = { userId: caller.userId, userEmail: caller.email ?? '', userName: name };
    const revision = await this.db.transaction(caller.orgId, (tx) =>
      this.insertNext(tx, caller.orgId, caller, user, change),
    );
    this.cache.forget(caller.orgId); // the author sees the change at once
    return revision;
  }

  /** Stores an empty revision: an operator's help for an owner who is locked out. */
  async reset(orgId: string): Promise<ControlsRevision> {
    const user = { userId: NIL_UUID, userEmail: '', userName: 'operator' };
    const change = { settings: {}, expectedRevision: null };
    return this.db.transaction(orgId, (tx) => this.insertNext(tx, orgId, null, user, change));
  }

  private async insertNext(
    tx: SqlTransaction,
    orgId: string,
    actor: Actor,
    user: Pick<ControlsRevision, 'userId' | 'userEmail' | 'userName'>,
    change: Pick<ControlsChange, 'settings' | 'expectedRevision'>,
  ): Promise<ControlsRevision> {
    await this.revisions.lock(tx, orgId);
    const previous = await this.revisions.findCurrentIn(tx, orgId);
    const current = previous?.revision ?? 0;
    if (change.expectedRevision !== null && change.expectedRevision !== current) {
      throw new DomainError('precondition_failed', `The controls have changed; the current revision is ${current}.`);
    }
    const settings = await this.secrets.seal(complete(change.settings), previous?.settings ?? null);
    const revision = { ...user, revision: current + 1, settings, updatedAt: this.clock.now() };
    await this.revisions.insert(tx, orgId, revision);
    const shown = await this.shown(revision);
    this.auditLog.record(tx, orgId, actor, {
      action: 'enterprise_controls.changed',
      target: String(revision.revision),
      before: previous ? (await this.shown(previous)).settings : undefined,
      after: shown.settings,
    });
    tx.notify('controls_changed', { orgId });
    return shown;
  }

  /** Logs once for each change: settings are opened with every turn. */
  private warnOfUnreadable(orgId: string, fields: string): void {
    if (this.warned.get(orgId) === fields) return;
    this.warned.set(orgId, fields);
    this.logger.warn(`Secrets of organization ${orgId} cannot be opened and are left out for agents: ${fields}`);
  }

  private async shown(revision: ControlsRevision): Promise<ControlsRevision> {
    return { ...revision, settings: await this.secrets.mask(revision.settings) };
  }
}

function complete(settings: EnterpriseControls): EnterpriseControls {
  const { sessionDefaultSettings: defaults } = settings;
  if (!defaults) return settings;
  return { ...settings, sessionDefaultSettings: expandAutonomyMode(defaults, 'sessionDefaultSettings') };
}
