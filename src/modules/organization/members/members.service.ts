import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import type { Page, PageRequest } from '../../../http/paging/paging.js';
import { type Member, type MemberFilter, MembersRepository } from './members.repository.js';

/** Everybody of the organization with role, state and today's team, for those who manage it. */
@Injectable()
export class MembersService {
  constructor(
    private readonly members: MembersRepository,
    private readonly clock: Clock,
  ) {}

  list({ orgId }: Principal, page: PageRequest, filter: MemberFilter): Promise<Page<Member>> {
    return this.members.listPage(orgId, page, filter, UtcDay.of(this.clock.now()));
  }
}
