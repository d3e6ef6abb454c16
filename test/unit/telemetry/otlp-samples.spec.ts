import { decodeJson } from '../../../src/modules/telemetry/otlp/otlp-json.js';
import { decodeProtobuf } from '../../../src/modules/telemetry/otlp/otlp-protobuf.js';
import type { Logs, Metrics, Telemetry, Traces } from '../../../src/modules/telemetry/otlp/records.js';
import { encodeProtobuf } from '../../support/otlp-encode.js';
import { otlpSamples } from '../../support/otlp-samples.js';

const samples = otlpSamples();
const json = (request: object) => Buffer.from(JSON.stringify(request));

function decoded(name: string): Promise<Telemetry> {
  const sample = samples.find((one) => one.name === name);
  if (!sample) throw new Error(`there is no sample ${name}`);
  return decodeJson(sample.signal, json(sample.request));
}

/** How much is in it, found without knowing anything of OTLP but the names. */
function countKeys(value: unknown, key: string): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countKeys(item, key), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [name, item]) => sum + (name === key && Array.isArray(item) ? item.length : countKeys(item, key)),
    0,
  );
}

describe('telemetry of real agents', () => {
  it('has samples of every signal', () => {
    expect(new Set(samples.map(({ signal }) => signal))).toEqual(new Set(['logs', 'metrics', 'traces']));
    expect(samples).toHaveLength(15);
  });

  it.each(samples)('$name is the same in both encodings', async ({ signal, request }) => {
    const fromJson = await decodeJson(signal, json(request));
    expect(decodeProtobuf(signal, encodeProtobuf(signal, request))).toEqual(fromJson);
    expect(decodeProtobuf(signal, encodeProtobuf(signal, request, { strangers: true }))).toEqual(fromJson);
  });

  it.each(samples)('$name means the same with the fields in any order', async ({ signal, request }) => {
    const backwards = decodeProtobuf(signal, encodeProtobuf(signal, request, { backwards: true }));
    expect(backwards).toEqual(await decodeJson(signal, json(request)));
  });

  it.each(samples)('$name is read to the last record', async ({ signal, request }) => {
    const telemetry = await decodeJson(signal, json(request));
    if (telemetry.signal === 'logs') expect(telemetry.records).toHaveLength(countKeys(request, 'logRecords'));
    if (telemetry.signal === 'traces') expect(telemetry.spans).toHaveLength(countKeys(request, 'spans'));
    if (telemetry.signal === 'metrics') {
      const unread = telemetry.unread.reduce((sum, { points }) => sum + points, 0);
      expect(telemetry.points.length + unread).toBe(countKeys(request, 'dataPoints'));
    }
  });

  it('keeps what a log record of Claude Code says', async () => {
    const { records } = (await decoded('claude-code-logs-http-json')) as Logs;
    const request = records.find(({ body }) => body === 'claude_code.api_request');
    expect(request).toMatchObject({
      scope: 'com.anthropic.claude_code.events',
      resource: { 'service.name': 'claude-code', 'user.email': 'dev@example.com' },
      attributes: { 'event.name': 'api_request', model: expect.any(String) },
    });
    expect(request?.timeMs).toBe(Date.parse(request?.attributes['event.timestamp'] as string));
  });

  it('dates the records of Codex, whose time is 0, by when they were observed', async () => {
    const { records } = (await decoded('codex-logs')) as Logs;
    const dated = records.filter(({ attributes }) => 'event.timestamp' in attributes);
    expect(dated.length).toBeGreaterThan(10);
    for (const { timeMs, attributes } of dated) {
      expect(Math.abs(Number(timeMs) - Date.parse(attributes['event.timestamp'] as string))).toBeLessThan(1_000);
    }
  });

  it('tells delta from cumulative sums, and what is no sum', async () => {
    const cumulative = (await decoded('gemini-cli-metrics-cumulative')) as Metrics;
    const delta = (await decoded('gemini-cli-metrics-delta')) as Metrics;
    expect(new Set(cumulative.points.map(({ temporality }) => temporality))).toEqual(new Set(['cumulative']));
    expect(new Set(delta.points.map(({ temporality }) => temporality))).toEqual(new Set(['delta']));
    expect(delta.points.find(({ name }) => name === 'gemini_cli.token.usage')).toMatchObject({
      isMonotonic: true,
      startTimeNano: expect.stringMatching(/^\d{19}$/),
      timeNano: expect.stringMatching(/^\d{19}$/),
      attributes: { type: 'input' },
    });
    expect(((await decoded('codex-metrics')) as Metrics).unread.map(({ name }) => name)).toContain(
      'codex.turn.token_usage',
    );
  });

  it('leaves out the attributes that Gemini sends empty', async () => {
    const { records } = (await decoded('gemini-cli-logs')) as Logs;
    for (const { attributes } of records) expect(Object.values(attributes)).not.toContain(undefined);
    expect(JSON.stringify(records)).not.toContain('{}');
  });

  it('has the ids of spans in hex', async () => {
    const { spans } = (await decoded('claude-code-traces')) as Traces;
    for (const { traceId, spanId } of spans) {
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
    }
  });
});
