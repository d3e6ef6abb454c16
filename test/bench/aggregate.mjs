import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../dist/app.module.js';
import { UtcDay } from '../../dist/common/time/utc-day.js';
import { loadConfig } from '../../dist/config/load-config.js';
import { connectionTargets } from '../../dist/database/connection-settings.js';
import { DatabaseService } from '../../dist/database/database.service.js';
import { AggregationService } from '../../dist/modules/analytics/aggregation/aggregation.service.js';

/** Computes what is due on the day after `DAY`, as the nightly run does, and prints what that took. */
const clock = { now: () => UtcDay.tryParse(process.env.DAY).next().startsAt() };
const config = loadConfig();
const app = await NestFactory.createApplicationContext(AppModule.of(config, clock), { logger: ['error'] });
await app.get(DatabaseService).open(connectionTargets(config.database, config.database.url));
const [cpu, began] = [process.cpuUsage(), performance.now()];
await app.get(AggregationService).runDue();
const used = process.cpuUsage(cpu);
console.log(JSON.stringify({ wall: (performance.now() - began) / 1000, cpu: (used.user + used.system) / 1e6 }));
process.exit(0);
