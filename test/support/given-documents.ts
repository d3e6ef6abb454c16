import { randomBytes } from 'node:crypto';
import { DOCUMENT_KIND } from '../../src/modules/analytics/day-documents.js';
import { toFragment } from '../../src/modules/analytics/spliced-gzip.js';
import { query } from './test-database.js';

/** Aggregated days of an organization, each with a large row of `/tokens`. */
export async function givenTokenDocuments(
  databaseUrl: string,
  orgId: string,
  { from, to, bytes }: { from: string; to: string; bytes: number },
): Promise<void> {
  const filler = randomBytes(bytes).toString('hex'); // compresses to about half
  const { bytes: fragment, plainBytes, plainCrc } = await toFragment(Buffer.from(JSON.stringify({ filler })));
  await query(
    databaseUrl,
    `WITH days AS (SELECT g::date AS day FROM generate_series($2::date, $3::date, '1 day') g),
          changed AS (INSERT INTO analytics_changes (org_id, version) VALUES ($1, 1)),
          rows AS (INSERT INTO analytics_days (org_id, day, version, activity_version, computed_at)
                   SELECT $1, d.day, 1, 1, now() FROM days d)
     INSERT INTO day_documents (org_id, kind, day, version, stored_bytes, fragment, plain_bytes, plain_crc)
     SELECT $1, $4, d.day, 1, length($5::bytea), $5, $6, $7 FROM days d`,
    [orgId, from, to, DOCUMENT_KIND.tokens, fragment, plainBytes, plainCrc],
  );
}
