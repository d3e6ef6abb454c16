import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/**
 * The nonce begins with the name of the key and ends with 72 random bits. Releases that know nothing of names open it all
 * the same, so that going back to one of them loses no secret; what they sealed has a nonce without a name.
 */
const NAME_BYTES = 3;
/** Characters that need no escaping in JSON or in a URL. */
const SEALED = /^sealed\.v1\.([A-Za-z0-9_-]+)$/;

interface SealingKey {
  readonly name: Buffer;
  readonly bytes: Buffer;
}

/** Encrypts secrets that are kept in the database, so that a copy of the database alone reveals none. */
@Injectable()
export class SecretBox {
  /** The one that seals, then those that only open. */
  private keys: Promise<[SealingKey, ...SealingKey[]]> | null = null;

  constructor(private readonly config: AppConfig) {}

  async seal(secret: string): Promise<string> {
    const [{ name, bytes }] = await this.loadKeys();
    const iv = Buffer.concat([name, randomBytes(IV_BYTES - NAME_BYTES)]);
    const cipher = createCipheriv(ALGORITHM, bytes, iv);
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return `sealed.v1.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`;
  }

  /** null when none of the keys opens it, or when it was altered. */
  async open(sealed: string): Promise<string | null> {
    const bytes = bytesOf(sealed);
    const keys = await this.loadKeys();
    const byName = [...keys].sort((a, b) => Number(isNamed(bytes, b)) - Number(isNamed(bytes, a)));
    for (const key of byName) {
      const secret = decrypt(bytes, key.bytes);
      if (secret !== null) return secret;
    }
    return null;
  }

  /** Tells secrets apart without revealing them, as long as the key is the same. */
  async fingerprint(secret: string): Promise<Buffer> {
    const [{ bytes }] = await this.loadKeys();
    return createHmac('sha256', bytes).update(`fingerprint ${secret}`).digest();
  }

  isSealed(value: string): boolean {
    return SEALED.test(value);
  }

  /** Whether it names the key that seals now. */
  async isUpToDate(sealed: string): Promise<boolean> {
    const [current] = await this.loadKeys();
    const bytes = bytesOf(sealed);
    return isNamed(bytes, current) && decrypt(bytes, current.bytes) !== null;
  }

  private loadKeys(): Promise<[SealingKey, ...SealingKey[]]> {
    this.keys ??= this.readKeys().catch((error: unknown) => {
      this.keys = null; // whatever was wrong with the file may be put right
      throw error;
    });
    return this.keys;
  }

  private async readKeys(): Promise<[SealingKey, ...SealingKey[]]> {
    const current = this.config.secretsKey ?? (await keyInDirectory(this.config.dataDir));
    return [toSealingKey(current), ...this.config.previousSecretsKeys.map(toSealingKey)];
  }
}

function toSealingKey(bytes: Buffer): SealingKey {
  return { name: createHash('sha256').update('name of ').update(bytes).digest().subarray(0, NAME_BYTES), bytes };
}

function bytesOf(sealed: string): Buffer {
  return Buffer.from(SEALED.exec(sealed)?.[1] ?? '', 'base64url');
}

function isNamed(bytes: Buffer, { name }: SealingKey): boolean {
  return bytes.subarray(0, NAME_BYTES).equals(name);
}

function decrypt(bytes: Buffer, key: Buffer): string | null {
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** The key of an installation with the embedded database: made once, readable by its user only. */
async function keyInDirectory(directory: string): Promise<Buffer> {
  const file = join(directory, 'secrets-key');
  if (!existsSync(file)) {
    await mkdir(directory, { recursive: true, mode: 0o711 });
    const draft = `${file}.new-${process.pid}`;
    await writeFile(draft, randomBytes(KEY_BYTES).toString('base64'), { mode: 0o600 });
    // Linking never replaces: two processes that start at once end up with the same key.
    await link(draft, file).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    await unlink(draft);
  }
  const key = Buffer.from(await readFile(file, 'utf8'), 'base64');
  if (key.length !== KEY_BYTES) throw new Error(`${file} does not hold a key of ${KEY_BYTES} bytes in base64`);
  return key;
}
