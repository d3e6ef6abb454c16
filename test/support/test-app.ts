import { pino } from 'pino';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Clock, SystemClock } from '../../src/common/time/clock.js';
import { AppConfig } from '../../src/config/app-config.js';
import { createApp } from '../../src/setup-app.js';
import { connectionTargets } from '../../src/database/connection-settings.js';
import { DatabaseService } from '../../src/database/database.service.js';
import { type CloseDatabase, openDatabase } from '../../src/startup.js';
import { ApiClient } from './api-client.js';
import { Given, type GivenUser } from './given.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/** Fixed, so that replicas can decrypt each other's secrets. */
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

/** Tests do not depend on whether the console was built. */
const NO_CONSOLE = '/nonexistent';

export interface TestAppOptions {
  clock?: Clock;
  env?: Record<string, string>;
  /** Starts a further replica on this database. */
  database?: TestDatabase;
  /** Default: there is no console. */
  consoleDirectory?: string;
  /** Default: any free port. */
  port?: number;
  /** One JSON object per line. */
  onLog?: (line: string) => void;
  /** Receives the progress messages of the start. */
  onProgress?: (message: string) => void;
}

/** The whole service with its own database, listening on a free port. */
export class TestApp {
  private constructor(
    readonly nest: NestFastifyApplication,
    readonly url: string,
    readonly database: TestDatabase,
    readonly given: Given,
    private readonly close: () => Promise<void>,
  ) {}

  static async start(options: TestAppOptions = {}): Promise<TestApp> {
    const database = options.database ?? (await createTestDatabase());
    const config = AppConfig.fromEnv({
      PORT: '0',
      DATABASE_URL: database.url,
      DATABASE_APP_ROLE: database.appRole,
      DATABASE_POOL_SIZE: '5',
      SECRETS_KEY,
      ...options.env,
    });
    const sink = { write: (line: string) => options.onLog?.(line) };
    const logger = pino({ level: options.onLog ? 'debug' : 'silent' }, sink);
    const { nest } = await createApp(config, logger, {
      clock: options.clock ?? new SystemClock(),
      consoleDirectory: options.consoleDirectory ?? NO_CONSOLE,
    });
    const closeDatabase = options.database
      ? await openInFull(nest, options)
      : await openCopy(nest, config, database.url);
    await nest.listen(options.port ?? 0, '127.0.0.1');
    const url = await nest.getUrl();
    return new TestApp(nest, url, database, new Given(nest, url), async () => {
      await nest.close();
      await closeDatabase();
      if (!options.database) await database.drop();
    });
  }

  as(user: GivenUser): ApiClient {
    return new ApiClient(this.url, user.key);
  }

  withBearer(bearer: string | null): ApiClient {
    return new ApiClient(this.url, bearer);
  }

  stop(): Promise<void> {
    return this.close();
  }
}

/** Like the service: waits for the database, migrates it, sets up roles and privileges. */
function openInFull(
  nest: NestFastifyApplication,
  { onProgress = () => undefined }: TestAppOptions,
): Promise<CloseDatabase> {
  return openDatabase(nest, { progress: onProgress, signal: new AbortController().signal, joinRunning: false });
}

/** A copy of the template is already migrated. */
async function openCopy(nest: NestFastifyApplication, config: AppConfig, url: string): Promise<CloseDatabase> {
  const database = nest.get(DatabaseService);
  await database.open(connectionTargets(config.database, url));
  return () => database.close();
}
