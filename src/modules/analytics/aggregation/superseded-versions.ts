import { Injectable, Logger } from '@nestjs/common';
import { forEachIndependently } from '../../../common/for-each-independently.js';
import { DayRebuildRepository } from './day-rebuild.repository.js';
import { type SupersededDay, SupersededVersionsRepository } from './superseded-versions.repository.js';

const DELETE_DAYS_AT_ONCE = 200;

@Injectable()
export class SupersededVersions {
  private readonly logger = new Logger('Aggregation');

  constructor(
    private readonly versions: SupersededVersionsRepository,
    private readonly rebuilds: DayRebuildRepository,
  ) {}

  async deleteBefore(time: Date): Promise<void> {
    for (let deleted = -1; deleted !== 0 && !this.rebuilds.isStopping;) {
      const days = await this.versions.list(time, DELETE_DAYS_AT_ONCE);
      deleted = days.length === 0 ? 0 : await this.delete(days);
    }
  }

  /** After a failure one by one, so that one day that cannot be deleted does not keep the others. */
  private async delete(days: SupersededDay[]): Promise<number> {
    try {
      return await this.versions.delete(days);
    } catch (error) {
      this.logger.warn(`Old versions could not be deleted together: ${String(error)}`);
      await forEachIndependently(
        days,
        (day) => this.versions.delete([day]),
        ({ orgId, day }, failure) => this.logger.error(`Old versions of ${day} of ${orgId}: ${String(failure)}`),
      );
      return days.length;
    }
  }
}
