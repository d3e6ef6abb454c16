import { promisify } from 'node:util';
import { constants, inflateRaw } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { DOCUMENT_KIND } from '../day-documents.js';
import { toFragment } from '../spliced-gzip.js';

const inflate = promisify<Buffer, { finishFlush: number }, Buffer>(inflateRaw);

interface StoredDay {
  day: string;
  version: string;
}

/** The email addresses in stored days of all versions. The figures stay, also of days whose events are gone. */
@Injectable()
export class StoredAddressesRepository {
  constructor(private readonly bulk: BulkDatabase) {}

  /** Returns whether there was one. */
  async erase(orgId: string, userId: string): Promise<boolean> {
    const isChanged = await this.bulk.transaction('BEGIN', (client) => eraseFromUserRows(client, orgId, userId));
    let isDocumentChanged = false;
    for (const day of await this.listDays(orgId, userId)) {
      const isThis = await this.bulk.transaction('BEGIN', (client) => eraseFromTokens(client, orgId, userId, day));
      isDocumentChanged ||= isThis;
    }
    return isChanged || isDocumentChanged;
  }

  /** Changes every ETag, so that no client keeps an old response. */
  async recordErasure(orgId: string): Promise<void> {
    await this.bulk.transaction('BEGIN', (client) =>
      client.query(
        `INSERT INTO analytics_changes AS c (org_id, version, erasures) VALUES ($1, nextval('analytics_versions'), 1)
         ON CONFLICT (org_id) DO UPDATE SET version = excluded.version, erasures = c.erasures + 1`,
        [orgId],
      ),
    );
  }

  /** A user with tokens on a day has a row of that day in the same version. */
  private listDays(orgId: string, userId: string): Promise<StoredDay[]> {
    return this.bulk.transaction('BEGIN READ ONLY', async (client) => {
      const { rows } = await client.query<StoredDay>(
        `SELECT u.day::text AS day, u.version FROM user_days u
          WHERE u.org_id = $1 AND u.user_id = $2 ORDER BY u.day, u.version`,
        [orgId, userId],
      );
      return rows;
    });
  }
}

async function eraseFromUserRows(client: PoolClient, orgId: string, userId: string): Promise<boolean> {
  const facts = await client.query(
    `UPDATE user_facts f SET email = NULL WHERE f.org_id = $1 AND f.user_id = $2 AND f.email IS NOT NULL`,
    [orgId, userId],
  );
  const days = await client.query(
    `UPDATE user_days u SET body = regexp_replace(u.body, '"user_email":"([^"\\\\]|\\\\.)*"', '"user_email":null')
      WHERE u.org_id = $1 AND u.user_id = $2 AND u.body LIKE '%"user\\_email":"%'`,
    [orgId, userId],
  );
  return (facts.rowCount ?? 0) + (days.rowCount ?? 0) > 0;
}

async function eraseFromTokens(
  client: PoolClient,
  orgId: string,
  userId: string,
  { day, version }: StoredDay,
): Promise<boolean> {
  const key = [orgId, DOCUMENT_KIND.tokens, day, version];
  const { rows } = await client.query<{ fragment: Buffer }>(
    `SELECT d.fragment FROM day_documents d
      WHERE d.org_id = $1 AND d.kind = $2 AND d.day = $3 AND d.version = $4 FOR UPDATE`,
    key,
  );
  if (!rows[0]) return false;
  const plain = (await inflate(rows[0].fragment, { finishFlush: constants.Z_SYNC_FLUSH })).toString();
  const address = new RegExp(`("user_id":"${userId}","user_email":)"(?:[^"\\\\]|\\\\.)*"`);
  if (!address.test(plain)) return false;
  const { bytes, plainBytes, plainCrc } = await toFragment(Buffer.from(plain.replace(address, '$1null')));
  await client.query(
    `UPDATE day_documents d SET fragment = $5, stored_bytes = octet_length($5::bytea), plain_bytes = $6, plain_crc = $7
      WHERE d.org_id = $1 AND d.kind = $2 AND d.day = $3 AND d.version = $4`,
    [...key, bytes, plainBytes, plainCrc],
  );
  return true;
}
