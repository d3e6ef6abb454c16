import { Module } from '@nestjs/common';
import { AggregationClaimsRepository } from './aggregation/aggregation-claims.repository.js';
import { AggregationJob } from './aggregation/aggregation.job.js';
import { AggregationService } from './aggregation/aggregation.service.js';
import { RollupsRepository } from './aggregation/rollups.repository.js';
import { AnalyticsCommands } from './analytics-commands.js';
import { AnalyticsLoad } from './analytics-load.js';
import { AnalyticsController } from './analytics.controller.js';
import { AnalyticsRepository } from './analytics.repository.js';
import { AnalyticsService } from './analytics.service.js';
import { DocumentStream } from './document-stream.js';
import { StoredAddressesRepository } from './erasure/stored-addresses.repository.js';
import { StoredAddressesService } from './erasure/stored-addresses.service.js';
import { RangeStates } from './range-states.js';
import { VerificationRepository } from './verification/verification.repository.js';
import { VerificationService } from './verification/verification.service.js';

/** The five reads of usage, and the aggregation that prepares them. */
@Module({
  controllers: [AnalyticsController],
  providers: [
    AggregationClaimsRepository,
    AggregationJob,
    AggregationService,
    AnalyticsCommands,
    AnalyticsLoad,
    AnalyticsRepository,
    AnalyticsService,
    DocumentStream,
    RangeStates,
    RollupsRepository,
    StoredAddressesRepository,
    StoredAddressesService,
    VerificationRepository,
    VerificationService,
  ],
  exports: [AggregationService, AnalyticsCommands, StoredAddressesService],
})
export class AnalyticsModule {}
