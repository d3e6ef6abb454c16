import { decodeJson } from '../../../src/modules/telemetry/otlp/otlp-json.js';
import { decodeProtobuf } from '../../../src/modules/telemetry/otlp/otlp-protobuf.js';
import type { LogRecord, Metrics, Signal, Telemetry } from '../../../src/modules/telemetry/otlp/records.js';
import { encodeProtobuf } from '../../support/otlp-encode.js';

type Decode = (signal: Signal, request: object) => Promise<Telemetry>;

const logs = (...logRecords: unknown[]) => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
const sum = (dataPoints: unknown[], more = {}) => ({
  resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', sum: { dataPoints, ...more } }] }] }],
});
const nested = (levels: number): object =>
  levels === 0 ? { stringValue: 'end' } : { arrayValue: { values: [nested(levels - 1)] } };

/** Whatever the encoding: these hold for both. */
describe.each<[string, Decode]>([
  ['JSON', (signal, request) => decodeJson(signal, Buffer.from(JSON.stringify(request)))],
  [
    'protobuf',
    (signal, request) => new Promise((resolve) => resolve(decodeProtobuf(signal, encodeProtobuf(signal, request)))),
  ],
])('values in %s', (_, decode) => {
  const log = async (record: object): Promise<LogRecord> => {
    const telemetry = await decode('logs', logs(record));
    if (telemetry.signal !== 'logs' || !telemetry.records[0]) throw new Error('no record');
    return telemetry.records[0];
  };
  const attribute = async (value: object) => (await log({ attributes: [{ key: 'a', value }] })).attributes.a;
  const points = async (dataPoints: object[], more?: object) =>
    ((await decode('metrics', sum(dataPoints, more))) as Metrics).points;

  it.each<[string, object, unknown]>([
    ['a text', { stringValue: 'x' }, 'x'],
    ['an empty text', { stringValue: '' }, ''],
    ['text beyond the basic plane', { stringValue: 'ä\u{1F600}' }, 'ä\u{1F600}'],
    ['a byte-order mark', { stringValue: '\uFEFFx' }, '\uFEFFx'],
    ['text with NUL', { stringValue: 'a\0b\0' }, 'ab'],
    ['true', { boolValue: true }, true],
    ['false', { boolValue: false }, false],
    ['an integer', { intValue: 42 }, 42],
    ['an integer as text', { intValue: '42' }, 42],
    ['0', { intValue: '0' }, 0],
    ['a negative integer', { intValue: '-7' }, -7],
    ['2^28 - 1', { intValue: String(2 ** 28 - 1) }, 2 ** 28 - 1],
    ['2^28', { intValue: String(2 ** 28) }, 2 ** 28],
    ['2^53 - 1', { intValue: '9007199254740991' }, Number.MAX_SAFE_INTEGER],
    ['the largest integer', { intValue: '9223372036854775807' }, 2 ** 63],
    ['the smallest integer', { intValue: '-9223372036854775808' }, -(2 ** 63)],
    ['a double', { doubleValue: 0.25 }, 0.25],
    ['infinity', { doubleValue: 'Infinity' }, undefined],
    ['no number', { doubleValue: 'NaN' }, undefined],
    ['nothing', {}, undefined],
    ['bytes', { bytesValue: 'AAEC' }, undefined],
    ['a list', { arrayValue: { values: [{ intValue: 1 }, {}, { stringValue: 'x' }] } }, [1, 'x']],
    ['an empty list', { arrayValue: {} }, []],
    ['a map', { kvlistValue: { values: [{ key: 'k', value: { boolValue: true } }, { key: 'e' }] } }, { k: true }],
    ['an empty map', { kvlistValue: {} }, {}],
  ])('reads %s', async (_name, value, expected) => {
    expect(await attribute(value)).toEqual(expected);
  });

  it('cuts long texts without splitting a character', async () => {
    expect(await attribute({ stringValue: 'x'.repeat(10_000) })).toBe('x'.repeat(10_000));
    expect(await attribute({ stringValue: 'x'.repeat(50_000) })).toBe('x'.repeat(10_000));
    expect(await attribute({ stringValue: '€'.repeat(50_000) })).toBe('€'.repeat(10_000));
    expect(await attribute({ stringValue: '\u{1F600}'.repeat(20_000) })).toBe('\u{1F600}'.repeat(5_000));
    expect(await attribute({ stringValue: `x${'\u{1F600}'.repeat(20_000)}` })).toBe(`x${'\u{1F600}'.repeat(4_999)}`);
  });

  it('follows lists 32 levels down and leaves out what is deeper', async () => {
    expect(JSON.stringify(await attribute(nested(32)))).toBe(`${'['.repeat(32)}"end"${']'.repeat(32)}`);
    expect(JSON.stringify(await attribute(nested(33)))).toBe(`${'['.repeat(32)}${']'.repeat(32)}`);
    expect(JSON.stringify(await attribute(nested(200)))).toBe(`${'['.repeat(32)}${']'.repeat(32)}`);
  });

  it('takes every key for a key', async () => {
    const { attributes } = await log({
      attributes: ['__proto__', 'constructor', 'toString', ''].map((key) => ({ key, value: { stringValue: key } })),
    });
    expect(Object.entries(attributes)).toEqual(['__proto__', 'constructor', 'toString', ''].map((key) => [key, key]));
    expect('valueOf' in attributes).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const map = await attribute({
      kvlistValue: {
        values: [
          { key: '__proto__', value: { kvlistValue: { values: [{ key: 'polluted', value: { intValue: 1 } }] } } },
        ],
      },
    });
    expect(Object.keys(map as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each<[string, object, number | null]>([
    ['when it happened', { timeUnixNano: '1794700185942123456', observedTimeUnixNano: '1' }, 1794700185942],
    ['the end of a millisecond', { timeUnixNano: '1794700185942999999' }, 1794700185942],
    ['when it was observed', { timeUnixNano: '0', observedTimeUnixNano: '1794700185942000000' }, 1794700185942],
    ['a number', { timeUnixNano: 1794700185942000000 }, 1794700185942],
    ['the first nanosecond', { timeUnixNano: '1' }, 0],
    ['the last nanosecond', { timeUnixNano: '18446744073709551615' }, 18446744073709],
    ['nothing', {}, null],
    ['0', { timeUnixNano: 0, observedTimeUnixNano: '0' }, null],
  ])('takes for the time %s', async (_name, record, expected) => {
    expect((await log(record)).timeMs).toBe(expected);
  });

  it.each<[string, object, number | null]>([
    ['milliseconds', { stringValue: '2026-11-15T08:00:00.123Z' }, Date.UTC(2026, 10, 15, 8, 0, 0, 123)],
    ['microseconds', { stringValue: '2026-11-15T08:00:00.123456Z' }, Date.UTC(2026, 10, 15, 8, 0, 0, 123)],
    ['an offset', { stringValue: '2026-11-15T08:00:00+02:00' }, Date.UTC(2026, 10, 15, 6)],
    ['a day', { stringValue: '2026-11-15' }, null],
    ['a month of 13', { stringValue: '2026-13-15T08:00:00Z' }, null],
    ['words', { stringValue: 'yesterday' }, null],
    ['a number', { intValue: 1794700185942 }, null],
  ])(
    'takes the attribute event.timestamp with %s for the time when there is no other',
    async (_name, value, expected) => {
      const attributes = [{ key: 'event.timestamp', value }];
      expect((await log({ attributes })).timeMs).toBe(expected);
      expect((await log({ attributes, observedTimeUnixNano: '5000000' })).timeMs).toBe(5);
    },
  );

  it('reads a body only when it is a text', async () => {
    expect((await log({ body: { stringValue: 'claude_code.user_prompt' } })).body).toBe('claude_code.user_prompt');
    expect((await log({ body: { arrayValue: { values: [{ stringValue: 'x' }] } } })).body).toBe('');
    expect((await log({ body: {} })).body).toBe('');
    expect((await log({})).body).toBe('');
  });

  it('reads sums, their numbers and nanoseconds exactly', async () => {
    const more = { aggregationTemporality: 2, isMonotonic: true };
    const dataPoints = [
      { asInt: '-3', startTimeUnixNano: '1794700185942123456', timeUnixNano: '1794700185942123457' },
      { asDouble: 1.5 },
      { asInt: '9007199254740991' },
    ];
    const origin = { resource: {}, scope: '', name: 'm', temporality: 'cumulative', isMonotonic: true, attributes: {} };
    expect(await points(dataPoints, more)).toEqual([
      {
        ...origin,
        startTimeNano: '1794700185942123456',
        timeNano: '1794700185942123457',
        timeMs: 1794700185942,
        value: -3,
      },
      { ...origin, startTimeNano: '0', timeNano: '0', timeMs: null, value: 1.5 },
      { ...origin, startTimeNano: '0', timeNano: '0', timeMs: null, value: Number.MAX_SAFE_INTEGER },
    ]);
    expect((await points([{ asInt: 1 }]))[0]).toMatchObject({ temporality: 'unspecified', isMonotonic: false });
    expect((await points([{ asInt: 1 }], { aggregationTemporality: 9 }))[0]?.temporality).toBe('unspecified');
  });

  it('passes over points without a number', async () => {
    expect(await points([{}, { asDouble: 'NaN' }, { asInt: 1, flags: 1 }, { asInt: 2, flags: 2 }])).toMatchObject([
      { value: 2 },
    ]);
  });

  it('counts the points of what is no sum', async () => {
    const kinds = ['gauge', 'histogram', 'exponentialHistogram'];
    const metrics = [...kinds.map((kind) => ({ name: kind, [kind]: { dataPoints: [{}, {}] } })), { name: 'nothing' }];
    const telemetry = await decode('metrics', {
      resourceMetrics: [{ scopeMetrics: [{ scope: { name: 's' }, metrics }] }],
    });
    expect(telemetry).toEqual({
      signal: 'metrics',
      points: [],
      unread: [
        ...kinds.map((name) => ({ resource: {}, scope: 's', name, points: 2 })),
        { resource: {}, scope: 's', name: 'nothing', points: 0 },
      ],
    });
  });

  it('takes an empty request for one without records', async () => {
    expect(await decode('logs', {})).toEqual({ signal: 'logs', records: [] });
    expect(await decode('metrics', {})).toEqual({ signal: 'metrics', points: [], unread: [] });
    expect(await decode('traces', { resourceSpans: [{}, { scopeSpans: [{}] }] })).toEqual({
      signal: 'traces',
      spans: [],
    });
  });

  it('refuses more records than a batch has', async () => {
    const many = Array.from({ length: 100_001 }, () => ({}));
    await expect(decode('logs', logs(...many))).rejects.toThrow('more than 100000 records');
    await expect(decode('metrics', sum(many.map(() => ({ asInt: 1 }))))).rejects.toThrow('more than 100000 records');
  });
});
