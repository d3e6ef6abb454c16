import fc from 'fast-check';
import { InvalidRequestError } from '../../../src/common/errors/domain-error.js';
import { decodeJson } from '../../../src/modules/telemetry/otlp/otlp-json.js';
import type { Logs, Metrics, Signal, Traces } from '../../../src/modules/telemetry/otlp/records.js';
import { otlpSamples } from '../../support/otlp-samples.js';

const decode = (signal: Signal, text: string) => decodeJson(signal, Buffer.from(text));
const decodeLogs = async (logRecords: unknown) =>
  ((await decode('logs', JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }))) as Logs).records;
const decodeSpan = async (span: object) =>
  ((await decode('traces', JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }))) as Traces)
    .spans[0];

describe('OTLP in JSON', () => {
  it.each([
    ['what is no JSON', '{"resourceLogs":['],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"logs"'],
    ['records in an object', '{"resourceLogs":{}}'],
    ['a text instead of records', '{"resourceLogs":"none"}'],
    ['white space', '  '],
  ])('refuses %s', async (_, text) => {
    await expect(decode('logs', text)).rejects.toThrow(InvalidRequestError);
  });

  it.each([
    ['no byte', ''],
    ['an empty object', '{}'],
    ['null', '{"resourceLogs":null}'],
    ['other keys', '{"resourceSpans":7,"resource_logs":[{"scope_logs":[{"log_records":[{}]}]}]}'],
    ['a byte-order mark', '\uFEFF{"resourceLogs":[]}'],
    ['scopes in an object', '{"resourceLogs":[{"scopeLogs":{}}]}'],
    ['no object where there should be one', '{"resourceLogs":[null,1,"x",[],{"scopeLogs":[null,{"logRecords":7}]}]}'],
  ])('takes %s for no records', async (_, text) => {
    expect(await decode('logs', text)).toEqual({ signal: 'logs', records: [] });
  });

  it('passes over records that are no objects, and parts of the wrong type', async () => {
    const empty = { resource: {}, scope: '', timeMs: null, eventName: '', body: '', attributes: {} };
    const wrong = { timeUnixNano: 'x', eventName: 7, body: 'text', attributes: { key: 'a' }, observedTimeUnixNano: -1 };
    expect(await decodeLogs([null, 'x', [], wrong, { timeUnixNano: '1e18', body: { stringValue: 1 } }])).toEqual([
      empty,
      empty,
    ]);
  });

  it('passes over attributes of the wrong type', async () => {
    const values = [
      null,
      'text',
      [],
      { stringValue: 7 },
      { boolValue: 'true' },
      { intValue: 'seven' },
      { intValue: '' },
      { intValue: {} },
      { doubleValue: null },
      { arrayValue: [] },
      { stringValue: null, intValue: null },
    ];
    const attributes = [...values.map((value, index) => ({ key: `k${index}`, value })), null, 'x', { value: {} }];
    expect((await decodeLogs([{ attributes }]))[0]?.attributes).toEqual({});
  });

  it('takes a null beside a value for nothing', async () => {
    const attributes = [{ key: 'a', value: { stringValue: null, intValue: '3' } }];
    expect((await decodeLogs([{ attributes }]))[0]?.attributes).toEqual({ a: 3 });
  });

  it('replaces half surrogate pairs', async () => {
    const text = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"a\\ud83db"}}]}]}]}';
    expect(((await decode('logs', text)) as Logs).records[0]?.body).toBe('a\uFFFDb');
  });

  it('replaces what is no UTF-8', async () => {
    const head = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"';
    const bytes = Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0x41]), Buffer.from('"}}]}]}]}')]);
    expect(((await decodeJson('logs', bytes)) as Logs).records[0]?.body).toBe('\uFFFDA');
  });

  it('keeps ids as text, in lower case and bounded', async () => {
    expect(await decodeSpan({ traceId: '5B8EFFF798038103D269B633813FC60C', spanId: 'EEE19B7EC3C1B174' })).toMatchObject(
      {
        traceId: '5b8efff798038103d269b633813fc60c',
        spanId: 'eee19b7ec3c1b174',
      },
    );
    expect(await decodeSpan({ traceId: 'x'.repeat(1_000), spanId: 7 })).toMatchObject({
      traceId: 'x'.repeat(64),
      spanId: '',
    });
  });

  it.each([
    [1, 'delta'],
    [2, 'cumulative'],
    [0, 'unspecified'],
    ['AGGREGATION_TEMPORALITY_DELTA', 'delta'],
    ['AGGREGATION_TEMPORALITY_CUMULATIVE', 'cumulative'],
    ['delta', 'unspecified'],
    [null, 'unspecified'],
  ])('knows the temporality %s', async (aggregationTemporality, expected) => {
    const metrics = [{ name: 'm', sum: { aggregationTemporality, dataPoints: [{ asInt: 1 }] } }];
    const telemetry = await decode('metrics', JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }));
    expect((telemetry as Metrics).points[0]?.temporality).toBe(expected);
  });

  it('survives nesting of any depth', async () => {
    const bomb = `${'{"arrayValue":{"values":['.repeat(100_000)}${']}}'.repeat(100_000)}`;
    const attributes = `[{"key":"a","value":${bomb}}]`;
    const text = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":${attributes}}]}]}]}`;
    expect(((await decode('logs', text)) as Logs).records).toHaveLength(1);
  });

  it('reads records by their place, whatever else is in the lists and beside them', async () => {
    const text = `{"more":[{"x":[{"y":[{"body":{"stringValue":"not this"}},{"#":1}]}]}],"resourceLogs":[{"resource":{"attributes":
      [{"key":"r","value":{"stringValue":"{[,"}}]},"others":[{"z":[{"#":0}]}],"scopeLogs":[{"scope":{"name":"s"},"logRecords":
      [0, {"#":7,"body":{"stringValue":"a\\"}]{"}}, "{", [{"body":{"stringValue":"nor this"}}], {"eventName":"b"}]}]}]}`;
    expect(await decode('logs', text)).toMatchObject({
      records: [
        { resource: { r: '{[,' }, scope: 's', body: 'a"}]{', eventName: '' },
        { resource: { r: '{[,' }, scope: 's', body: '', eventName: 'b' },
      ],
    });
  });

  it.each([
    ['a record that is no JSON', '[{"a":}]'],
    ['a record with the wrong bracket', '[{"a":1]]'],
    ['records without a comma', '[{}{}]'],
    ['a record without end', '[{"a":[{}'],
  ])('refuses %s', async (_, list) => {
    const text = `{"resourceLogs":[{"scopeLogs":[{"logRecords":${list}}]}]}`;
    await expect(decode('logs', text)).rejects.toThrow('The body is not valid JSON.');
  });

  it.each([
    ['values in one record', `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"a":[${'[],'.repeat(200_000)}0]}]}]}]}`],
    ['values beside the records', `{"resourceLogs":[${'{},'.repeat(130_000)}{}]}`],
    ['records', `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${'0,'.repeat(100_000)}0]}]}]}`],
    ['records without an end', `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${'{},'.repeat(100_001)}`],
  ])('refuses too many %s before it makes anything of them', async (what, text) => {
    await expect(decode('logs', text)).rejects.toThrow(/^The body has (a record with )?more than \d+ /);
    expect(what).toBeTruthy();
  });

  it('throws nothing but its refusal, whatever is sent', async () => {
    const samples = otlpSamples().map(({ signal, request }) => ({ signal, text: JSON.stringify(request) }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...samples), fc.nat(), fc.json(), async (sample, at, junk) => {
        // Somewhere in the sample, another value for a key.
        const keys = [...sample.text.matchAll(/":/g)];
        const start = (keys[at % keys.length]?.index ?? 0) + 2;
        await expectDecodedOrRefused(sample.signal, `${sample.text.slice(0, start)}${junk}${sample.text.slice(start)}`);
        await expectDecodedOrRefused(sample.signal, replaceValue(sample.text, start, junk));
      }),
      { numRuns: 200 },
    );
  });
});

async function expectDecodedOrRefused(signal: Signal, text: string): Promise<void> {
  try {
    expect((await decode(signal, text)).signal).toBe(signal);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequestError);
  }
}

/** The value that starts there, with all that is in it, makes place for another. */
function replaceValue(text: string, start: number, value: string): string {
  let depth = 0;
  let inText = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '"' && text[at - 1] !== '\\') inText = !inText;
    if (inText) continue;
    if ('[{'.includes(char)) depth++;
    else if (']}'.includes(char) && depth-- === 0) return text.slice(0, start) + value + text.slice(at);
    else if (char === ',' && depth === 0) return text.slice(0, start) + value + text.slice(at);
  }
  return value;
}
