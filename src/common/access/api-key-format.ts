import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'apk_';
const COMPUTER_PREFIX = 'apc_';
const RANDOM_CHARACTERS = 43; // 62^43 > 2^256
const CHECKSUM_CHARACTERS = 6; // 62^6 > 2^32
const SECRET_PATTERN = /^ap[kc]_[0-9A-Za-z]{49}$/;
const SHOWN_CHARACTERS = PREFIX.length + 6;

/** `apk_`, 256 random bits in base62, and a checksum over both. */
export function newApiKey(): string {
  return newSecret(PREFIX);
}

export function newComputerToken(): string {
  return newSecret(COMPUTER_PREFIX);
}

/** Checks form and checksum, so that a mistyped key is refused without a query. */
export function isApiKey(value: string): boolean {
  return value.startsWith(PREFIX) && hasChecksum(value);
}

export function isComputerToken(value: string): boolean {
  return value.startsWith(COMPUTER_PREFIX) && hasChecksum(value);
}

export function apiKeyPrefix(key: string): string {
  return key.slice(0, SHOWN_CHARACTERS);
}

function newSecret(prefix: string): string {
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const body = prefix + toBase62(random, RANDOM_CHARACTERS);
  return body + checksum(body);
}

function hasChecksum(value: string): boolean {
  if (!SECRET_PATTERN.test(value)) return false;
  const body = value.slice(0, -CHECKSUM_CHARACTERS);
  return checksum(body) === value.slice(-CHECKSUM_CHARACTERS);
}

function checksum(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECKSUM_CHARACTERS);
}

function toBase62(value: bigint, width: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= 62n) digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(width, ALPHABET.charAt(0));
}
