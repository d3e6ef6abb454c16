import { Module } from '@nestjs/common';
import { ReadinessController } from './readiness.controller.js';
import { ReadinessRepository } from './readiness.repository.js';
import { ReadinessService } from './readiness.service.js';

@Module({
  controllers: [ReadinessController],
  providers: [ReadinessRepository, ReadinessService],
  exports: [ReadinessService],
})
export class ReadinessModule {}
