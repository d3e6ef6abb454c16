import { yieldFairly } from '../../../common/yield-fairly.js';
import { decodeJson } from './otlp-json.js';
import type { Encoding } from './otlp-body.js';
import { decodeProtobuf } from './otlp-protobuf.js';
import type { Signal, Telemetry } from './records.js';

export async function decode(signal: Signal, encoding: Encoding, bytes: Buffer): Promise<Telemetry> {
  await yieldFairly(); // the largest requests take 0.1 s in protobuf
  return encoding === 'protobuf' ? decodeProtobuf(signal, bytes) : decodeJson(signal, bytes);
}
