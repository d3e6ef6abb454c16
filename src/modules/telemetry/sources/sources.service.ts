import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import type { Page, PageRequest } from '../../../http/paging/paging.js';
import { type Source, SourcesRepository } from './sources.repository.js';

const NOTHING: Page<Source> = { items: [], next: null };

@Injectable()
export class SourcesService {
  constructor(private readonly sources: SourcesRepository) {}

  /** Members see their own. */
  async list(caller: Principal, page: PageRequest, userId: string | null): Promise<Page<Source>> {
    const seesAll = caller.role === Role.Owner || caller.role === Role.Manager;
    if (!seesAll && userId !== null && userId !== caller.userId) return NOTHING;
    return this.sources.listPage(caller.orgId, page, seesAll ? userId : caller.userId);
  }
}
