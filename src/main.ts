import 'reflect-metadata';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createLogger } from './common/logging/logger.js';
import { exit, ignoreLostOutput } from './common/logging/lost-output.js';
import { serveMetrics } from './http/server/metrics.js';
import { loadConfig } from './config/load-config.js';
import { explainListenFailure } from './listen-failure.js';
import { createApp } from './setup-app.js';
import { ConsoleCommands } from './modules/console/console-commands.js';
import { mayPrintLink, publicUrlOf, readyMessage } from './ready-message.js';
import { checkStoredSecrets, type CloseDatabase, createFirstOrganization, openDatabase } from './startup.js';
import { listenForStop } from './stop-signals.js';

const DRAIN_DEADLINE_MS = 25_000;

ignoreLostOutput(process.stdout);
ignoreLostOutput(process.stderr);
const { stopRequested, forceStop } = listenForStop();
const failed = new AbortController();
const config = loadConfig();
const logger = createLogger(config.log);
const progress = (message: string) => logger.info(message);
let opening: Promise<CloseDatabase> | null = null;
let metricsServer: Server | null = null;

process.on('uncaughtException', (error) => {
  logger.error(error.stack ?? error.message);
  void fail(error);
});
const { nest: app, metrics, hasConsole } = await createApp(config, logger);
const started = stopRequested.aborted ? Promise.resolve() : start();
if (stopRequested.aborted) void stop();
else stopRequested.addEventListener('abort', () => void stop());
await started.catch(fail);

/** Listens before the database is open: until then liveness is 200 and everything else 503. */
async function start(): Promise<void> {
  await listen();
  opening = openDatabase(app, {
    progress,
    signal: AbortSignal.any([stopRequested, failed.signal]),
    joinRunning: false,
  });
  await opening;
  const created = await createFirstOrganization(app);
  checkStoredSecrets(app);
  const address = await app.getUrl();
  const link = hasConsole && mayPrintLink(config) ? await firstRunLink(publicUrlOf(config, address)) : null;
  process.stdout.write(readyMessage(config, { address, created, hasConsole, link }));
}

/** Not worth failing for. */
function firstRunLink(url: string): Promise<string | null> {
  return app
    .get(ConsoleCommands)
    .firstRunLink(url)
    .catch((error: unknown) => {
      logger.warn(`No link to the console could be made: ${String(error)}`);
      return null;
    });
}

async function listen(): Promise<void> {
  const { host, port, metricsPort } = config.http;
  await app.listen(port, host).catch((error: unknown) => {
    throw explainListenFailure(error, { variable: 'PORT', port, host });
  });
  if (metricsPort === null) return;
  metricsServer = await serveMetrics(metrics, host, metricsPort).catch((error: unknown) => {
    throw explainListenFailure(error, { variable: 'METRICS_PORT', port: metricsPort, host });
  });
}

/**
 * Finishes running requests, then closes the database. A second signal, or a timeout, skips the requests; the embedded
 * database is always stopped cleanly.
 */
async function stop(): Promise<void> {
  try {
    exit((await stopInOrder()) ? 0 : 1);
  } catch (error) {
    logger.fatal(error instanceof Error ? error.message : String(error));
    exit(1);
  }
}

/** False when requests were aborted after the timeout. */
async function stopInOrder(): Promise<boolean> {
  logger.info('Stopping: finishing the requests that are under way ...');
  const deadline = AbortSignal.timeout(DRAIN_DEADLINE_MS);
  const timeIsUp = AbortSignal.any([forceStop, deadline]);
  const isDrained = await Promise.race([drain().then(() => true), once(timeIsUp, 'abort').then(() => false)]);
  if (!isDrained) {
    logger.warn('Stopping without the requests that are still under way.');
    app.getHttpServer().closeAllConnections();
  }
  await closeDatabase({ isForced: !isDrained });
  logger.info('Stopped.');
  return isDrained || forceStop.aborted;
}

async function drain(): Promise<void> {
  // Nothing else closes a kept-alive connection after its last request.
  setInterval(() => app.getHttpServer().closeIdleConnections(), 100).unref();
  await started.catch(() => undefined);
  await app.close();
  metricsServer?.close();
}

/** If it is still opening, waits for that; an open that fails cleans up after itself. */
async function closeDatabase(options: { isForced: boolean }): Promise<void> {
  const close = await opening?.catch(() => null);
  await close?.(options);
}

/** Always stops the embedded database. */
async function fail(error: unknown): Promise<void> {
  if (stopRequested.aborted && error instanceof Error && error.name === 'AbortError') return;
  logger.fatal(error instanceof Error ? error.message : String(error));
  logger.debug(error instanceof Error ? error.stack : '');
  if (stopRequested.aborted) return; // `stop` ends the process
  failed.abort();
  await closeDatabase({ isForced: true }).catch(() => undefined);
  exit(1);
}
