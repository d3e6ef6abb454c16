import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Encoding } from './otlp-body.js';
import type { Signal } from './records.js';

export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

export const REJECTED: Readonly<Record<Signal, string>> = {
  logs: 'rejectedLogRecords',
  metrics: 'rejectedDataPoints',
  traces: 'rejectedSpans',
};

/** Exporters do not retry rejected records. */
export function encodeSuccess(encoding: Encoding, signal: Signal, partial: PartialSuccess | null): Buffer {
  if (encoding === 'json') {
    const partialSuccess = partial && { [REJECTED[signal]]: String(partial.rejected), errorMessage: partial.message };
    return Buffer.from(JSON.stringify(partialSuccess ? { partialSuccess } : {}));
  }
  if (!partial) return Buffer.alloc(0);
  // partial_success = 1; in all three messages rejected_… = 1 and error_message = 2
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).fork();
  return finish(writeNumberAndText(writer, partial.rejected, partial.message).join());
}

/** code = 1, message = 2. */
export function encodeStatus(encoding: Encoding, code: number, message: string): Buffer {
  if (encoding === 'json') return Buffer.from(JSON.stringify({ code, message }));
  return finish(writeNumberAndText(new BinaryWriter(), code, message));
}

/** 0 and '' are defaults in proto3 and are not written. */
function writeNumberAndText(writer: BinaryWriter, number: number, text: string): BinaryWriter {
  if (number !== 0) writer.tag(1, WireType.Varint).int64(number);
  if (text !== '') writer.tag(2, WireType.LengthDelimited).string(text);
  return writer;
}

function finish(writer: BinaryWriter): Buffer {
  const { buffer, byteOffset, byteLength } = writer.finish();
  return Buffer.from(buffer, byteOffset, byteLength);
}
