import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import { requestContext } from '../request-context.js';
import type { LogOptions } from './log-options.js';
import { ignoreLostOutput } from './lost-output.js';

/** Nest logs every route and module at start-up: logged as debug. */
const CHATTY_CONTEXTS = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Pretty on a terminal, else one JSON object per line. */
export function createLogger({ level, format }: LogOptions): Logger {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: () => ({ ...requestContext.getStore() }),
    // A safeguard: nothing logs credentials.
    redact: ['*.authorization', '*.headers.authorization', '*.key', '*.apiKey', '*.password'],
  };
  const output = pino.destination({ dest: 1, sync: true });
  ignoreLostOutput(output);
  if (!isPretty) return pino(options, output);
  const pretty = PinoPretty({
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'requestId',
    singleLine: true,
    destination: output,
    colorize: process.stdout.isTTY,
  });
  ignoreLostOutput(pretty);
  return pino(options, pretty);
}

export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger[context && CHATTY_CONTEXTS.has(context) ? 'debug' : 'info']({ context }, String(message));
  }

  error(message: unknown, ...rest: string[]): void {
    const context = rest.at(-1);
    // Nest logs why it cannot listen and throws it as well; the main program reports it once.
    const level = context === 'NestApplication' ? 'debug' : 'error';
    this.logger[level]({ context, stack: rest.length > 1 ? rest[0] : undefined }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }

  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context }, String(message));
  }
}
