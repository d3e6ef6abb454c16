import { Module } from '@nestjs/common';
import { AggregationClaimsRepository } from './aggregation/aggregation-claims.repository.js';
import { AggregationJob } from './aggregation/aggregation.job.js';
import { AggregationPass } from './aggregation/aggregation-pass.js';
import { AggregationService } from './aggregation/aggregation.service.js';
import { ClaimedWork } from './aggregation/claimed-work.js';
import { DayComputations } from './aggregation/day-computations.js';
import { DayRebuildRepository } from './aggregation/day-rebuild.repository.js';
import { AddedFactsRepository } from './aggregation/facts/added-facts.repository.js';
import { FactsService } from './aggregation/facts/facts.service.js';
import { TodayFactsRepository } from './aggregation/facts/today-facts.repository.js';
import { MissingFactsRepository } from './aggregation/facts/missing-facts.repository.js';
import { FactRules } from './aggregation/facts/fact-rules.js';
import { SupersededVersionsRepository } from './aggregation/superseded-versions.repository.js';
import { SupersededVersions } from './aggregation/superseded-versions.js';
import { AnalyticsCommands } from './analytics-commands.js';
import { AnalyticsLoad } from './analytics-load.js';
import { AnalyticsAnswers } from './analytics-answers.js';
import { AnalyticsController } from './analytics.controller.js';
import { AnalyticsRepository } from './analytics.repository.js';
import { AnalyticsService } from './analytics.service.js';
import { DocumentStream } from './document-stream.js';
import { StoredAddressesRepository } from './erasure/stored-addresses.repository.js';
import { StoredAddressesService } from './erasure/stored-addresses.service.js';
import { OrganizationPricesRepository } from './pricing/organization-prices.repository.js';
import { PriceLists } from './pricing/price-lists.js';
import { PricePreviewController } from './pricing/price-preview.controller.js';
import { PricePreviewRepository } from './pricing/price-preview.repository.js';
import { PricePreviewService } from './pricing/price-preview.service.js';
import { MyUsageController } from './questions/my-usage.controller.js';
import { QuestionsController } from './questions/questions.controller.js';
import { QUESTION_PROVIDERS } from './questions/questions.providers.js';
import { RangeStates } from './range-states.js';
import { VerificationRepository } from './verification/verification.repository.js';
import { VerificationService } from './verification/verification.service.js';

@Module({
  controllers: [AnalyticsController, QuestionsController, MyUsageController, PricePreviewController],
  providers: [
    AddedFactsRepository,
    AggregationClaimsRepository,
    AggregationJob,
    AggregationPass,
    AggregationService,
    AnalyticsAnswers,
    AnalyticsCommands,
    AnalyticsLoad,
    AnalyticsRepository,
    AnalyticsService,
    ClaimedWork,
    DayComputations,
    DayRebuildRepository,
    DocumentStream,
    FactRules,
    FactsService,
    MissingFactsRepository,
    OrganizationPricesRepository,
    PriceLists,
    PricePreviewRepository,
    PricePreviewService,
    RangeStates,
    StoredAddressesRepository,
    StoredAddressesService,
    SupersededVersions,
    SupersededVersionsRepository,
    TodayFactsRepository,
    VerificationRepository,
    VerificationService,
    ...QUESTION_PROVIDERS,
  ],
  exports: [AggregationService, AnalyticsCommands, StoredAddressesService],
})
export class AnalyticsModule {}
