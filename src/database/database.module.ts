import { type DynamicModule, Module } from '@nestjs/common';
import { BulkDatabase } from './bulk-database.js';
import { DatabaseService, ENTITIES, type EntityClass } from './database.service.js';
import { JobLedger } from './job-ledger.js';
import { Notifications } from './notifications.js';
import { OrgDatabase } from './org-database.js';
import { SystemDatabase } from './system-database.js';

@Module({})
export class DatabaseModule {
  static of(entities: readonly EntityClass[]): DynamicModule {
    const services = [BulkDatabase, DatabaseService, JobLedger, Notifications, OrgDatabase, SystemDatabase];
    return {
      module: DatabaseModule,
      global: true,
      providers: [...services, { provide: ENTITIES, useValue: entities }],
      exports: services,
    };
  }
}
