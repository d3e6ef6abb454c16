import { Injectable } from '@nestjs/common';
import { UnavailableError } from '../../../common/errors/domain-error.js';
import type { AnalyticsRange } from '../analytics-range.js';
import { AggregationService } from '../aggregation/aggregation.service.js';

/** Makes the facts of days that were computed by a release without them. */
interface FactMaker {
  ensureFacts(orgId: string, range: AnalyticsRange): Promise<void>;
}

@Injectable()
export class CompleteFacts {
  constructor(private readonly aggregation: AggregationService) {}

  async ensure(orgId: string, range: AnalyticsRange): Promise<void> {
    const maker: Partial<FactMaker> = this.aggregation as object;
    if (!maker.ensureFacts) throw factsAreMissing();
    await maker.ensureFacts(orgId, range);
  }
}

export function factsAreMissing(): UnavailableError {
  return new UnavailableError('Some days of the range are still being prepared after an update. Try again shortly.');
}
