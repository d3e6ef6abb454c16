import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { type OrganizationSettings, OrganizationSettingsRepository } from './organization-settings.repository.js';

const DEFAULTS: OrganizationSettings = { sessionContentAccess: 'own' };

/** Settings of an organization that concern this service alone; what concerns agents is in the enterprise controls. */
@Injectable()
export class OrganizationSettingsService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly settings: OrganizationSettingsRepository,
    private readonly auditLog: AuditLogService,
  ) {}

  async current(orgId: string): Promise<OrganizationSettings> {
    return (await this.settings.find(orgId)) ?? DEFAULTS;
  }

  /** A change to the same values is not audited. */
  replace(caller: Principal, after: OrganizationSettings): Promise<OrganizationSettings> {
    const { orgId } = caller;
    return this.db.transaction(orgId, async (tx) => {
      await this.settings.lock(tx, orgId, DEFAULTS);
      const before = (await this.settings.find(orgId, tx)) ?? DEFAULTS;
      if (isDeepStrictEqual(before, after)) return after;
      this.settings.update(tx, orgId, after);
      this.auditLog.record(tx, orgId, caller, {
        action: 'organization_settings.changed',
        target: orgId,
        before,
        after,
      });
      return after;
    });
  }
}
