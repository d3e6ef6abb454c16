import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { OTLPLogExporter as JsonLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { AggregationTemporality, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { EVENT_KIND } from '../../src/modules/ingest/event-codes.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import type { GivenUser } from '../support/given.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

/* The exporters that the agents themselves use, against the running service. */

let app: TestApp;
let user: GivenUser;

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  user = await app.given.user(await app.given.organization());
});
afterAll(() => app.stop());

const resource = resourceFromAttributes({ 'service.name': 'claude-code', 'service.version': '2.1.197' });
const options = (path: string) => ({
  url: `${app.url}/api/otlp/v1/${path}`,
  headers: { Authorization: `Bearer ${user.key}` },
  compression: CompressionAlgorithm.GZIP,
});

async function countOf(kind: number): Promise<number> {
  const [row] = await query<{ count: number }>(
    app.database.url,
    `SELECT count(*)::int AS count FROM events e WHERE e.user_id = $1 AND e.kind = $2`,
    [user.id, kind],
  );
  return row?.count ?? 0;
}

function emitModelCalls(provider: LoggerProvider, count: number): void {
  const logger = provider.getLogger('com.anthropic.claude_code.events');
  for (let i = 0; i < count; i++) {
    logger.emit({
      body: 'claude_code.api_request',
      attributes: {
        'event.name': 'api_request',
        'event.sequence': i,
        'session.id': 's-1',
        model: 'claude-sonnet-4-5',
        input_tokens: 10,
        output_tokens: 5,
        cache_read_tokens: 2,
        cache_creation_tokens: 1,
      },
    });
  }
}

describe('the official exporters', () => {
  it.each([
    ['protobuf', ProtobufLogExporter],
    ['JSON', JsonLogExporter],
  ])('send logs in %s with gzip', async (_, Exporter) => {
    const processors = [new BatchLogRecordProcessor({ exporter: new Exporter(options('logs')) })];
    const provider = new LoggerProvider({ resource, processors });
    emitModelCalls(provider, 25);
    await provider.shutdown();
    expect(await countOf(EVENT_KIND.model_call)).toBe(25);
  });

  it.each([
    ['delta', AggregationTemporality.DELTA],
    ['cumulative', AggregationTemporality.CUMULATIVE],
  ])('send %s sums, and every commit counts once', async (_, temporalityPreference) => {
    const exporter = new OTLPMetricExporter({ ...options('metrics'), temporalityPreference });
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3600_000 });
    const provider = new MeterProvider({ resource, readers: [reader] });
    const commits = provider.getMeter('com.anthropic.claude_code').createCounter('claude_code.commit.count');
    for (const made of [1, 2, 0]) {
      if (made > 0) commits.add(made, { 'session.id': 's-1' });
      await provider.forceFlush();
    }
    await provider.shutdown();
    expect(await countOf(EVENT_KIND.git_commit)).toBe(3);
  });

  it('lose nothing and repeat nothing when the service restarts in between', async () => {
    const port = await freePort();
    const first = await TestApp.start({ database: app.database, port });
    const exporter = new ProtobufLogExporter({ ...options('logs'), url: `${first.url}/api/otlp/v1/logs` });
    const processor = new BatchLogRecordProcessor({ exporter, scheduledDelayMillis: 50 });
    const provider = new LoggerProvider({ resource, processors: [processor] });
    emitModelCalls(provider, 10);
    await eventually('the first ones are there', async () => (await countOf(EVENT_KIND.model_call)) === 10);
    await first.stop();
    emitModelCalls(provider, 10);
    const second = await TestApp.start({ database: app.database, port });
    await provider.shutdown();
    await eventually('all of them are there', async () => (await countOf(EVENT_KIND.model_call)) === 20);
    await second.stop();
  });
});
