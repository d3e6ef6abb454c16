import { fileURLToPath } from 'node:url';
import cors from '@fastify/cors';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { AppModule } from './app.module.js';
import { listRoutes } from './http/server/route-table.js';
import { ErrorFilter } from './http/server/error.filter.js';
import { stringifyExact } from './common/exact-json.js';
import { logRequests } from './http/server/access-log.js';
import { rememberRoutes } from './http/server/allowed-methods.js';
import { compressDocs } from './http/server/compressed-docs.js';
import { docsPage } from './http/server/docs-page.js';
import { requireHost } from './http/server/host-header.js';
import { measureRequests } from './http/server/metrics.js';
import { limitPipelining } from './http/server/pipelined-requests.js';
import { addSecurityHeaders } from './http/server/security-headers.js';
import { serverOptions } from './http/server/server-options.js';
import { RoutedSocketAdapter, routeUpgrades } from './http/streams/socket-upgrades.js';
import { NestLogger } from './common/logging/logger.js';
import type { Clock } from './common/time/clock.js';
import { InputPipe } from './common/validation/input.pipe.js';
import type { AppConfig } from './config/app-config.js';
import { readConsoleFiles } from './modules/console/files/console-files.js';
import { serveConsole } from './modules/console/files/serve-console.js';
import { TelemetryStats } from './modules/telemetry/telemetry-stats.js';
import { buildOpenApiDocument } from './openapi.js';

export interface App {
  nest: NestFastifyApplication;
  metrics: Registry;
  /** Whether the console was built. */
  hasConsole: boolean;
}

/** Beside the compiled service. */
const BUILT_CONSOLE = fileURLToPath(new URL('console', import.meta.url));

export interface AppOptions {
  clock?: Clock;
  consoleDirectory?: string;
}

/** Ready to listen; `startup.ts` opens the database. */
export async function createApp(
  config: AppConfig,
  logger: Logger,
  { clock, consoleDirectory = BUILT_CONSOLE }: AppOptions = {},
): Promise<App> {
  const consoleFiles = readConsoleFiles(consoleDirectory);
  const adapter = new FastifyAdapter(serverOptions(config.http, logger));
  const server = adapter.getInstance<FastifyInstance>();
  rememberRoutes(server);
  logRequests(server, logger);
  const metrics = measureRequests(server);
  forbidCaching(server);
  leaveBodiesUnread(server);
  closeBehindHalfReadBodies(server);
  limitPipelining(server);
  routeUpgrades(server);
  server.setReplySerializer(stringifyExact);
  addSecurityHeaders(server, config.http.publicUrl);
  requireHost(server);
  if (consoleFiles) serveConsole(server, consoleFiles);
  leadTo(server, consoleFiles ? '/console/' : '/docs');
  compressDocs(server);
  if (config.http.corsOrigins.length > 0) await server.register(cors, corsOptions(config));

  const nest = await NestFactory.create<NestFastifyApplication>(AppModule.of(config, clock), adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  nest.useWebSocketAdapter(new RoutedSocketAdapter(nest));
  nest.useGlobalFilters(new ErrorFilter());
  nest.useGlobalPipes(new InputPipe(config.http.requestTimeoutSeconds * 1000));
  SwaggerModule.setup('docs', nest, () => buildOpenApiDocument(nest), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    ...docsPage,
  });
  nest.get(TelemetryStats).register(metrics);
  listRoutes(nest); // throws when a route declares no access
  return { nest, metrics, hasConsole: consoleFiles !== null };
}

/** A browser that opens the bare address finds what there is to see. */
function leadTo(server: FastifyInstance, path: string): void {
  server.get('/', (_request, reply) => reply.redirect(path));
}

/** By default; the few cacheable answers set their own header. */
function forbidCaching(server: FastifyInstance): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store');
    done(null, payload);
  });
}

/** Bodies are read by `InputPipe`, after the guard. */
function leaveBodiesUnread(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

/** An unread rest of a body would be parsed as the next request of the connection. */
function closeBehindHalfReadBodies(server: FastifyInstance): void {
  server.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (raw.readableDidRead && !raw.readableEnded) reply.header('Connection', 'close');
    done(null, payload);
  });
}

function corsOptions(config: AppConfig): Parameters<typeof cors>[1] {
  return {
    origin: [...config.http.corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match'],
    exposedHeaders: ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'ETag'],
    maxAge: 600,
  };
}
