import { type INestApplicationContext, Logger } from '@nestjs/common';
import { AppConfig } from './config/app-config.js';
import { connectionTargets } from './database/connection-settings.js';
import { DatabaseService } from './database/database.service.js';
import { EmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';
import { migrate } from './database/migrator.js';
import { retryUntilReady } from './database/retry-until-ready.js';
import { StoredSecretsService } from './modules/organization/controls/stored-secrets.service.js';
import {
  type CreatedOrganization,
  OrganizationsService,
} from './modules/organization/organizations/organizations.service.js';

export interface StartupOptions {
  /** Reports progress to a person. */
  progress: (message: string) => void;
  signal: AbortSignal;
  /** Join the embedded database of a running service, instead of failing because it is in use. */
  joinRunning: boolean;
}

/** Forced: without waiting for work in progress. */
export type CloseDatabase = (options?: { isForced: boolean }) => Promise<void>;

/** Starts the embedded database if there is no other, migrates and opens it. Returns the function that undoes this. */
export async function openDatabase(app: INestApplicationContext, options: StartupOptions): Promise<CloseDatabase> {
  const config = app.get(AppConfig);
  const database = app.get(DatabaseService);
  const embedded = config.database.url === null ? await startEmbedded(config, options) : null;
  try {
    const targets = connectionTargets(config.database, embedded?.url ?? config.database.url ?? '');
    const open = async () => {
      await migrate(targets, options.progress, options.signal);
      await database.open(targets);
    };
    await retryUntilReady(open, options.progress, options.signal);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
  return async ({ isForced } = { isForced: false }) => {
    const closed = database.close();
    if (isForced) closed.catch(() => undefined);
    else await closed;
    await embedded?.stop();
  };
}

/** On an empty database: creates the first organization, its owner and the owner's key. */
export function createFirstOrganization(app: INestApplicationContext): Promise<CreatedOrganization | null> {
  const { orgName, ownerEmail, apiKey } = app.get(AppConfig).bootstrap;
  return app.get(OrganizationsService).createFirst({ name: orgName, ownerEmail, apiKey });
}

/** Logs a warning if stored secrets cannot be decrypted; start-up does not wait for it. */
export function checkStoredSecrets(app: INestApplicationContext): void {
  app
    .get(StoredSecretsService)
    .warnOfUnreadable()
    .catch((error: unknown) => new Logger('Secrets').warn(`Stored secrets could not be checked: ${String(error)}`));
}

function startEmbedded(
  config: AppConfig,
  { joinRunning, progress, signal }: StartupOptions,
): Promise<EmbeddedPostgres> {
  const options = { dataDir: config.dataDir, onProgress: progress, signal };
  return joinRunning ? EmbeddedPostgres.startOrJoin(options) : EmbeddedPostgres.start(options);
}
