import { type INestApplicationContext, Logger } from '@nestjs/common';
import { AppConfig } from './config/app-config.js';
import { connectionTargets } from './database/connection-settings.js';
import { DatabaseService } from './database/database.service.js';
import { EmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';
import { migrate } from './database/migrator.js';
import { whenReady } from './database/wait-until-ready.js';
import { StoredSecretsService } from './modules/organization/controls/stored-secrets.service.js';
import {
  type CreatedOrganization,
  OrganizationsService,
} from './modules/organization/organizations/organizations.service.js';

export interface StartupOptions {
  /** Tells a person what is going on. */
  progress: (message: string) => void;
  signal: AbortSignal;
  /** Use the embedded database of a service that is running, instead of insisting on being the one who runs it. */
  joinRunning: boolean;
}

/** Closes the database again. Forced: without waiting for whoever is using it. */
export type CloseDatabase = (options?: { isForced: boolean }) => Promise<void>;

/** Brings the database up, migrates it and opens it for `app`. Returns what has to be called to undo that. */
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
    await whenReady(open, options.progress, options.signal);
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

/** On an empty database: the first organization, its owner and the owner's key. */
export function createFirstOrganization(app: INestApplicationContext): Promise<CreatedOrganization | null> {
  const { orgName, ownerEmail, apiKey } = app.get(AppConfig).bootstrap;
  return app.get(OrganizationsService).createFirst({ name: orgName, ownerEmail, apiKey });
}

/** Says once for each start when secrets cannot be opened; the start does not wait for it. */
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
