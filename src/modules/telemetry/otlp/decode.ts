import { yieldFairly } from '../../../common/yield-fairly.js';
import { decodeJson } from './otlp-json.js';
import type { Encoding } from './otlp-body.js';
import { decodeProtobuf } from './otlp-protobuf.js';
import type { Signal, Telemetry } from './records.js';

/** An empty body is an empty request. */
export async function decode(signal: Signal, encoding: Encoding, bytes: Buffer): Promise<Telemetry> {
  await yieldFairly(); // the largest take a tenth of a second in protobuf
  return encoding === 'protobuf' ? decodeProtobuf(signal, bytes) : decodeJson(signal, bytes);
}
