import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcMonth } from '../../../common/time/utc-month.js';
import { OrganizationEntity } from '../organizations/organization.entity.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { type MonthCredit, CreditLimitsRepository } from '../credit-limits/credit-limits.repository.js';
import { UserEntity } from '../users/user.entity.js';
import { UsersService } from '../users/users.service.js';

export interface Me {
  user: UserEntity;
  organization: OrganizationEntity;
  usage: MonthCredit;
  resetsAt: Date;
}

@Injectable()
export class MeService {
  constructor(
    private readonly users: UsersService,
    private readonly organizations: OrganizationsService,
    private readonly limits: CreditLimitsRepository,
    private readonly clock: Clock,
  ) {}

  async get(caller: Principal): Promise<Me> {
    const { orgId, userId } = caller;
    const month = UtcMonth.of(this.clock.now());
    const [user, organization, usage] = await Promise.all([
      this.users.get(caller, userId),
      this.organizations.get(orgId),
      this.limits.findOfUser(orgId, userId, month),
    ]);
    return { user, organization, usage, resetsAt: month.endsAt() };
  }
}
