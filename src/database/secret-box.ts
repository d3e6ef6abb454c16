import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Characters that need no escaping in JSON or in a URL. */
const SEALED = /^sealed\.v1\.([A-Za-z0-9_-]+)$/;

/** Encrypts secrets that are kept in the database, so that a copy of the database alone reveals none. */
@Injectable()
export class SecretBox {
  private key: Promise<Buffer> | null = null;

  constructor(private readonly config: AppConfig) {}

  async seal(secret: string): Promise<string> {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, await this.loadKey(), iv);
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return `sealed.v1.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`;
  }

  /** Throws when the value was sealed with another key or altered. */
  async open(sealed: string): Promise<string> {
    const bytes = Buffer.from(SEALED.exec(sealed)?.[1] ?? '', 'base64url');
    const decipher = createDecipheriv(ALGORITHM, await this.loadKey(), bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  }

  /** Tells secrets apart without revealing them, as long as the key is the same. */
  async fingerprint(secret: string): Promise<Buffer> {
    return createHmac('sha256', await this.loadKey())
      .update(`fingerprint ${secret}`)
      .digest();
  }

  isSealed(value: string): boolean {
    return SEALED.test(value);
  }

  private loadKey(): Promise<Buffer> {
    this.key ??= this.config.secretsKey ? Promise.resolve(this.config.secretsKey) : keyInDirectory(this.config.dataDir);
    return this.key;
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
  return Buffer.from(await readFile(file, 'utf8'), 'base64');
}
