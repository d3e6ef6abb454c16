import { decodeJson } from './otlp-json.js';
import type { Encoding } from './otlp-body.js';
import { decodeProtobuf } from './otlp-protobuf.js';
import type { Signal, Telemetry } from './records.js';

/** An empty body is an empty request. */
export function decode(signal: Signal, encoding: Encoding, bytes: Buffer): Telemetry {
  if (encoding === 'protobuf') return decodeProtobuf(signal, bytes);
  return decodeJson(signal, bytes.length === 0 ? Buffer.from('{}') : bytes);
}
