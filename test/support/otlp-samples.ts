import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Signal } from '../../src/modules/telemetry/otlp/records.js';

const FOLDER = join('test', 'fixtures', 'otlp');

export interface OtlpSample {
  readonly name: string;
  readonly signal: Signal;
  /** As captured, but with ids in hex, where a capture of protobuf has base64. */
  readonly request: Record<string, unknown>;
}

/** Captured from real agents. */
export function otlpSamples(): OtlpSample[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ name: file.replace('.json', ''), signal: signalOf(file), request: read(file) }));
}

function signalOf(file: string): Signal {
  if (file.includes('-logs')) return 'logs';
  return file.includes('-metrics') ? 'metrics' : 'traces';
}

function read(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf8'), (key, value: unknown) =>
    /^(trace|span|parentSpan)Id$/.test(key) && typeof value === 'string' ? hex(value) : value,
  ) as Record<string, unknown>;
}

function hex(id: string): string {
  return /^([0-9a-f]{16}|[0-9a-f]{32})?$/i.test(id) ? id : Buffer.from(id, 'base64').toString('hex');
}
