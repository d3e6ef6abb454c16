import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { InvalidRequestError } from '../../../src/common/errors/domain-error.js';
import { decodeProtobuf } from '../../../src/modules/telemetry/otlp/otlp-protobuf.js';
import type { Logs, Signal, Traces } from '../../../src/modules/telemetry/otlp/records.js';
import { encodeProtobuf } from '../../support/otlp-encode.js';
import { otlpSamples } from '../../support/otlp-samples.js';

const SIGNALS: Signal[] = ['logs', 'metrics', 'traces'];

/** Bytes in a message in a message and so on: `path` names the fields from the outside in. */
function within(path: number[], inner: Uint8Array): Uint8Array {
  return path.reduceRight<Uint8Array>(
    (bytes, field) => new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish(),
    inner,
  );
}

const written = (write: (writer: BinaryWriter) => BinaryWriter) => write(new BinaryWriter()).finish();
const LOG = [1, 2, 2];
const refusal = (signal: Signal) => `The body is not a valid OTLP request for ${signal} in protobuf.`;

describe('OTLP in protobuf', () => {
  it('reads bytes that were written by hand', () => {
    const hex =
      '0a3a' + // resource_logs
      '0a16' + // resource
      '0a14' + // attribute
      ('0a0c' + Buffer.from('service.name').toString('hex')) +
      ('1204' + '0a02' + '6363') + // the value "cc"
      '1220' + // scope_logs
      ('0a03' + '0a01' + '73') + // the scope "s"
      '1219' + // log record
      ('09' + '40420f0000000000') + // 1,000,000 ns
      ('1005' + '1a0449' + '4e464f') + // severity 5 "INFO"
      ('2a03' + '0a01' + '62') + // the body "b"
      ('6201' + '65'); // the event name "e"
    expect(decodeProtobuf('logs', Buffer.from(hex, 'hex'))).toEqual({
      signal: 'logs',
      records: [
        { resource: { 'service.name': 'cc' }, scope: 's', timeMs: 1, eventName: 'e', body: 'b', attributes: {} },
      ],
    });
  });

  it('reads from the middle of a larger buffer', () => {
    const request = encodeProtobuf('logs', { resourceLogs: [{ scopeLogs: [{ logRecords: [{ eventName: 'e' }] }] }] });
    const around = Buffer.concat([Buffer.from('before'), request, Buffer.from('after')]);
    const bytes = around.subarray(6, 6 + request.length);
    expect((decodeProtobuf('logs', bytes) as Logs).records).toMatchObject([{ eventName: 'e' }]);
  });

  it('has ids in hex, bounded', () => {
    const span = written((writer) =>
      writer
        .tag(1, WireType.LengthDelimited)
        .bytes(new Uint8Array(100).fill(0xab))
        .tag(2, WireType.LengthDelimited)
        .bytes(new Uint8Array([0xee, 0x01])),
    );
    expect((decodeProtobuf('traces', within(LOG, span)) as Traces).spans).toMatchObject([
      { traceId: 'ab'.repeat(32), spanId: 'ee01' },
    ]);
  });

  it('replaces what is no UTF-8', () => {
    const log = within([5, 1], new Uint8Array([0x41, 0xff, 0x00, 0xed, 0xa0, 0x80]));
    expect((decodeProtobuf('logs', within(LOG, log)) as Logs).records[0]?.body).toBe('A\uFFFD\uFFFD\uFFFD\uFFFD');
  });

  it.each<[string, Uint8Array]>([
    ['a text', Buffer.from('{"resourceLogs":[]}')],
    ['a field 0', new Uint8Array([0x00])],
    ['a wire type 7', new Uint8Array([0x0f])],
    ['the end of a group that never began', new Uint8Array([0x0c])],
    ['a group without an end', new Uint8Array([0x1b])],
    ['half a tag', new Uint8Array([0x80])],
    ['a length without bytes', new Uint8Array([0x0a, 0x05])],
    ['an enormous length', new Uint8Array([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ['a number for the resource', written((writer) => writer.tag(1, WireType.Varint).uint32(1))],
    [
      'a time as varint',
      within(
        LOG,
        written((writer) => writer.tag(1, WireType.Varint).uint32(1)),
      ),
    ],
    ['half a time', within(LOG, new Uint8Array([0x09, 1, 2, 3]))],
    [
      'a key that is a number',
      within(
        [...LOG, 6],
        written((writer) => writer.tag(1, WireType.Varint).uint32(1)),
      ),
    ],
    [
      'a text value that is a number',
      within(
        [...LOG, 5],
        written((writer) => writer.tag(1, WireType.Varint).uint32(1)),
      ),
    ],
    [
      'a list of numbers',
      within(
        [...LOG, 5, 5],
        written((writer) => writer.tag(1, WireType.Varint).uint32(1)),
      ),
    ],
    // The last byte of the record says that one more belongs to its body: the scope has it, the record does not.
    ['a field longer than its message', within([1, 2], new Uint8Array([0x12, 0x04, 0x2a, 0x03, 0x0a, 0x01, 0x62]))],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeProtobuf('logs', bytes)).toThrow(new InvalidRequestError(refusal('logs')));
  });

  it.each(otlpSamples())('refuses $name when its end is missing', ({ signal, request }) => {
    const bytes = encodeProtobuf(signal, request);
    for (let cut = 1; cut < bytes.length; cut += 1 + Math.floor(bytes.length / 50)) {
      expect(() => decodeProtobuf(signal, bytes.subarray(0, bytes.length - cut))).toThrow(refusal(signal));
    }
  });

  it('survives nesting of any depth', () => {
    let value = new Uint8Array();
    for (let level = 0; level < 5_000; level++) value = within([5, 1], value) as Uint8Array<ArrayBuffer>;
    const { records } = decodeProtobuf('logs', within([...LOG, 6, 2], value)) as Logs;
    expect(JSON.stringify(records[0]?.attributes)).toBe(`{"":${'['.repeat(32)}${']'.repeat(32)}}`);
    const groups = new Uint8Array(1_000_000).fill(0x1b);
    for (const signal of SIGNALS) expect(() => decodeProtobuf(signal, groups)).toThrow(refusal(signal));
  });

  it('is quick with the most laborious of bodies', () => {
    const pairs = (tag: number) => new Uint8Array(200_000).map((_, index) => (index % 2 === 0 ? tag : 0));
    const bodies = [[], [1], [1, 2], LOG, [...LOG, 6], [...LOG, 5, 5], [...LOG, 7]].flatMap((path) =>
      [0x0a, 0x12, 0x32, 0x3a].map((tag) => within(path, pairs(tag))),
    );
    for (const signal of SIGNALS) {
      for (const body of bodies) expect(millisecondsToDecode(signal, body)).toBeLessThan(2_000);
    }
  });

  it('throws nothing but its refusal, whatever is sent', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SIGNALS), fc.uint8Array({ maxLength: 200 }), fc.nat(6), (signal, bytes, depth) => {
        millisecondsToDecode(signal, within([...LOG, 6, 2, 5].slice(0, depth), bytes));
      }),
      { numRuns: 2_000 },
    );
  });

  it('throws nothing but its refusal when bytes of a real body are changed, added or lost', () => {
    const samples = otlpSamples().map(({ signal, request }) => ({ signal, bytes: encodeProtobuf(signal, request) }));
    const change = fc.record({ at: fc.nat(), lost: fc.nat(3), added: fc.uint8Array({ maxLength: 3 }) });
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.array(change, { minLength: 1, maxLength: 5 }), (sample, changes) => {
        const bytes = changes.reduce((body, { at, lost, added }) => {
          const start = at % body.length;
          return Buffer.concat([body.subarray(0, start), added, body.subarray(start + lost)]);
        }, Buffer.from(sample.bytes));
        expect(millisecondsToDecode(sample.signal, bytes)).toBeLessThan(2_000);
      }),
      { numRuns: 500 },
    );
  });
});

function millisecondsToDecode(signal: Signal, bytes: Uint8Array): number {
  const start = performance.now();
  try {
    decodeProtobuf(signal, bytes);
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
  }
  return performance.now() - start;
}
