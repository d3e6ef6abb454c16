import { Global, Module } from '@nestjs/common';
import { BulkDatabase } from './bulk-database.js';
import { DatabaseService } from './database.service.js';
import { JobLedger } from './job-ledger.js';
import { OrgDatabase } from './org-database.js';
import { SecretBox } from './secret-box.js';
import { SystemDatabase } from './system-database.js';
import { Notifications } from './notifications.js';

/** The database, as every module sees it. */
@Global()
@Module({
  providers: [BulkDatabase, DatabaseService, JobLedger, OrgDatabase, SecretBox, SystemDatabase, Notifications],
  exports: [BulkDatabase, DatabaseService, JobLedger, OrgDatabase, SecretBox, SystemDatabase, Notifications],
})
export class DatabaseModule {}
