import { createHmac } from 'node:crypto';
import { CompactSign, type CryptoKey, type JWSHeaderParameters } from 'jose';

type Json = Record<string, unknown>;

/** A correctly signed token with any header and payload. */
export function signToken(
  header: JWSHeaderParameters & { alg: string },
  payload: Json,
  key: CryptoKey,
): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader(header).sign(key);
}

/** With the given signature part. */
export function assembleToken(header: Json, payload: Json, signature: string): string {
  return `${encode(header)}.${encode(payload)}.${signature}`;
}

/** For example with bytes that everybody knows. */
export function signWithSecret(header: Json, payload: Json, secret: string | Buffer): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

/** Keeps header and signature. */
export function withPayload(token: string, change: Json): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Json;
  return `${header}.${encode({ ...claims, ...change })}.${signature}`;
}

function encode(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
