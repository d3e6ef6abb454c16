import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import type { Page, PageRequest } from '../../../http/paging/paging.js';
import { canMatch, type SessionFilter } from '../session-filter.js';
import { OrganizationSessionsRepository, type SessionMetadata } from './organization-sessions.repository.js';

/** What owners and managers see of the sessions of everybody. */
@Injectable()
export class OrganizationSessionsService {
  constructor(private readonly sessions: OrganizationSessionsRepository) {}

  async list(caller: Principal, filter: SessionFilter, page: PageRequest): Promise<Page<SessionMetadata>> {
    return canMatch(filter) ? this.sessions.listPage(caller.orgId, filter, page) : { items: [], next: null };
  }
}
