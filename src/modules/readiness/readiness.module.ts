import { Module } from '@nestjs/common';
import { ReadinessController } from './readiness.controller.js';
import { ReadinessRepository } from './readiness.repository.js';
import { ReadinessService } from './readiness.service.js';
import { ReadinessSummaryController } from './summary/readiness-summary.controller.js';
import { ReadinessSummaryRepository } from './summary/readiness-summary.repository.js';
import { ReadinessSummaryService } from './summary/readiness-summary.service.js';

@Module({
  controllers: [ReadinessController, ReadinessSummaryController],
  providers: [ReadinessRepository, ReadinessService, ReadinessSummaryRepository, ReadinessSummaryService],
  exports: [ReadinessService],
})
export class ReadinessModule {}
