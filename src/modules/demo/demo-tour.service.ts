import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { ForbiddenError, NotFoundError } from '../../common/errors/domain-error.js';
import { AppConfig } from '../../config/app-config.js';
import { OrgDatabase } from '../../database/org-database.js';
import { AuditLogService } from '../organization/audit/audit-log.service.js';
import { SignInLinksService } from '../organization/console-sessions/sign-in-links.service.js';
import type { OrganizationEntity } from '../organization/organizations/organization.entity.js';
import { UsersService } from '../organization/users/users.service.js';
import { DemoFillService } from './demo-fill.service.js';
import { type DemoFill, DemoFillsRepository } from './demo-fills.repository.js';
import { DemoService } from './demo.service.js';

export interface DemoState {
  readonly state: 'none' | 'filling' | 'stopped' | 'ready';
  readonly organization: OrganizationEntity | null;
  /** null: it was filled before there was a record of it, or there is none. */
  readonly fill: DemoFill | null;
}

/** Audit entries do not name it by its id: it is removed without a trace. */
const TARGET = 'demo';

/** The demo, as owners of other organizations use it. */
@Injectable()
export class DemoTourService {
  constructor(
    private readonly demo: DemoService,
    private readonly fills: DemoFillsRepository,
    private readonly filling: DemoFillService,
    private readonly users: UsersService,
    private readonly links: SignInLinksService,
    private readonly auditLog: AuditLogService,
    private readonly db: OrgDatabase,
    private readonly config: AppConfig,
  ) {}

  /** Also for the demo itself: it tells how far it is. */
  async get(): Promise<DemoState> {
    const organization = await this.demo.find();
    if (!organization) return { state: 'none', organization, fill: null };
    const fill = await this.fills.find(organization.id);
    return { state: this.stateOf(fill), organization, fill };
  }

  async start(caller: Principal): Promise<DemoState> {
    await this.findFor(caller);
    await this.filling.begin((tx, { name }) => {
      this.auditLog.record(tx, caller.orgId, caller, { action: 'demo.filled', target: TARGET, after: { name } });
    });
    return this.get();
  }

  /** The address that signs in as the owner of the demo, once. */
  async createLink(caller: Principal): Promise<string> {
    const demo = await this.findFor(caller);
    if (!demo) throw new NotFoundError('demo', TARGET);
    const secret = await this.links.create(await this.users.getFirstOwner(demo.id));
    await this.record(caller, { action: 'demo.entered', target: TARGET });
    return `${this.config.http.publicUrl}/console/#welcome=${secret}`;
  }

  /** Nothing when there is none. */
  async remove(caller: Principal): Promise<void> {
    const demo = await this.findFor(caller);
    if (!demo) return;
    await this.filling.stop();
    await this.demo.remove();
    await this.record(caller, { action: 'demo.removed', target: TARGET, before: { name: demo.name } });
  }

  private async findFor(caller: Principal): Promise<OrganizationEntity | null> {
    const demo = await this.demo.find();
    if (demo?.id !== caller.orgId) return demo;
    throw new ForbiddenError('This is the demo itself: it is filled, entered and removed from your own organization.');
  }

  private stateOf(fill: DemoFill | null): DemoState['state'] {
    if (!fill || fill.finishedAt) return 'ready';
    return fill.failure === null ? 'filling' : 'stopped';
  }

  private record(caller: Principal, change: Parameters<AuditLogService['record']>[3]): Promise<void> {
    return this.db.transaction(caller.orgId, (tx) => {
      this.auditLog.record(tx, caller.orgId, caller, change);
      return Promise.resolve();
    });
  }
}
