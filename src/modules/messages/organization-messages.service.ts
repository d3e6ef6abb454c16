import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { ForbiddenError, NotFoundError } from '../../common/errors/domain-error.js';
import type { Page, PageRequest } from '../../http/paging/paging.js';
import { OrgDatabase } from '../../database/org-database.js';
import { AuditLogService } from '../organization/audit/audit-log.service.js';
import { OrganizationSettingsService } from '../organization/settings/organization-settings.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { MessageRole, ShownMessage } from '../sessions/transcript/message.entity.js';
import { TranscriptService } from '../sessions/transcript/transcript.service.js';

/** The messages of a session for owners of the organization, who leave a trace with every look. */
@Injectable()
export class OrganizationMessagesService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly settings: OrganizationSettingsService,
    private readonly sessions: SessionsService,
    private readonly transcript: TranscriptService,
    private readonly auditLog: AuditLogService,
  ) {}

  async list(
    caller: Principal,
    sessionId: string,
    page: PageRequest,
    role: MessageRole | undefined,
  ): Promise<Page<ShownMessage>> {
    const { orgId } = caller;
    const session = await this.sessions.find(orgId, sessionId);
    if (!session) throw new NotFoundError('session', sessionId);
    await this.requireAllowed(orgId);
    // Committed before anything is shown.
    await this.db.transaction(orgId, (tx) => {
      const after = { userId: session.userId };
      this.auditLog.record(tx, orgId, caller, { action: 'session.content_read', target: sessionId, after });
      return Promise.resolve();
    });
    return this.transcript.listOfAnyone(orgId, sessionId, page, role);
  }

  private async requireAllowed(orgId: string): Promise<void> {
    const { sessionContentAccess } = await this.settings.current(orgId);
    if (sessionContentAccess === 'owners') return;
    throw new ForbiddenError(
      'The setting sessionContentAccess lets nobody but its user read a session. ' +
        'An owner can change it (PUT /api/v0/organization/settings).',
    );
  }
}
