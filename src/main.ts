import 'reflect-metadata';
import type { Server } from 'node:http';
import { createLogger } from './common/logging/logger.js';
import { serveMetrics } from './common/http/metrics.js';
import { loadConfig } from './config/load-config.js';
import { createApp } from './setup-app.js';
import { readyMessage } from './ready-message.js';
import { checkStoredSecrets, foundFirstOrganization, openDatabase } from './startup.js';

const DRAIN_DEADLINE_MS = 25_000;

const config = loadConfig();
const logger = createLogger(config.log);
const progress = (message: string) => logger.info(message);
const interrupted = new AbortController();
let closeDatabase: () => Promise<void> = () => Promise.resolve();
let metricsServer: Server | null = null;

const { nest: app, metrics } = await createApp(config, logger);
const started = start();
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
await started.catch(fail);

/** Listens first and opens the database then: meanwhile liveness is 200, readiness 503 and everything else 503. */
async function start(): Promise<void> {
  await app.listen(config.http.port, config.http.host);
  if (config.http.metricsPort !== null) {
    metricsServer = await serveMetrics(metrics, config.http.host, config.http.metricsPort);
  }
  closeDatabase = await openDatabase(app, { progress, signal: interrupted.signal, joinRunning: false });
  const founded = await foundFirstOrganization(app);
  checkStoredSecrets(app);
  const address = await app.getUrl();
  process.stdout.write(readyMessage(config, address, founded));
}

/** Answers what is under way, then closes the database. A second signal, or a drain that takes too long, is final. */
function stop(): void {
  if (interrupted.signal.aborted) process.exit(1);
  interrupted.abort();
  logger.info('Stopping: finishing the requests that are under way ...');
  setTimeout(() => {
    logger.error('Requests did not end in time; giving up on them.');
    process.exit(1);
  }, DRAIN_DEADLINE_MS).unref();
  // A kept-alive connection goes idle when its last request is answered; nothing else would close it.
  setInterval(() => app.getHttpServer().closeIdleConnections(), 100).unref();
  void started
    .catch(() => undefined)
    .then(() => app.close())
    .then(() => metricsServer?.close())
    .then(() => closeDatabase())
    .then(() => {
      logger.info('Stopped.');
      process.exit(0);
    })
    .catch(fail);
}

/** Whatever went wrong, the database that was started here does not stay behind. */
async function fail(error: unknown): Promise<void> {
  if (interrupted.signal.aborted && error instanceof Error && error.name === 'AbortError') return;
  logger.fatal(error instanceof Error ? error.message : String(error));
  logger.debug(error instanceof Error ? error.stack : '');
  await closeDatabase().catch(() => undefined);
  process.exit(1);
}
