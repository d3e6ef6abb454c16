import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AuthModule } from './auth/auth.module.js';
import { type Clock, SystemClock } from './common/time/clock.js';
import type { AppConfig } from './config/app-config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { ENTITIES } from './entities.js';
import { HttpModule } from './http/http.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { AnalyticsModule } from './modules/analytics/analytics.module.js';
import { ComputersModule } from './modules/computers/computers.module.js';
import { ConsoleModule } from './modules/console/console.module.js';
import { DemoModule } from './modules/demo/demo.module.js';
import { ErasureModule } from './modules/erasure/erasure.module.js';
import { HealthModule } from './modules/health/health.module.js';
import { IngestModule } from './modules/ingest/ingest.module.js';
import { LiveModule } from './modules/live/live.module.js';
import { MessagesModule } from './modules/messages/messages.module.js';
import { OrganizationModule } from './modules/organization/organization.module.js';
import { ReadinessModule } from './modules/readiness/readiness.module.js';
import { RelayModule } from './modules/relay/relay.module.js';
import { SessionsModule } from './modules/sessions/sessions.module.js';
import { TelemetryModule } from './modules/telemetry/telemetry.module.js';
import { TurnsModule } from './modules/turns/turns.module.js';

/** The only file that names every module. */
@Module({})
export class AppModule {
  static of(config: AppConfig, clock: Clock = new SystemClock()): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config, clock),
        DiscoveryModule,
        ScheduleModule.forRoot(),
        DatabaseModule.of(ENTITIES),
        HttpModule,
        IdempotencyModule,
        AuthModule,
        HealthModule,
        OrganizationModule,
        ComputersModule,
        SessionsModule,
        TurnsModule,
        MessagesModule,
        RelayModule,
        LiveModule,
        IngestModule,
        TelemetryModule,
        AnalyticsModule,
        ReadinessModule,
        ErasureModule,
        ConsoleModule,
        DemoModule,
      ],
    };
  }
}
