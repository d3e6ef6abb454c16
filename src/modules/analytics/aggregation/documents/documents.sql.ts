import { DOCUMENT_KIND } from '../../day-documents.js';
import { NAME_DOCUMENTS } from './day-rows.sql.js';
import { TOKEN_TOTALS, TOKENS_BY_MODEL } from './token-rows.sql.js';

/* Documents from the facts of the same version. $1 day, $2 version, $3 organizations. */

const D = DOCUMENT_KIND;

const insertDocuments = (rows: string) => `
  INSERT INTO day_documents (org_id, kind, day, version, stored_bytes, body)
  SELECT d.org_id, d.kind, $1::date, $2::bigint, octet_length(d.body), d.body
    FROM (${rows}) d`;
const ofKind = (kind: number, rows: string) => `SELECT d.org_id, ${kind} AS kind, d.body FROM (${rows}) d`;

export const INSERT_DOCUMENTS = [
  insertDocuments(NAME_DOCUMENTS),
  insertDocuments(ofKind(D.tokensByModel, TOKENS_BY_MODEL)),
  insertDocuments(ofKind(D.tokenTotals, TOKEN_TOTALS)),
];

export const INSERT_TOKEN_FRAGMENTS = `
  INSERT INTO day_documents (org_id, kind, day, version, stored_bytes, fragment, plain_bytes, plain_crc)
  SELECT d.org_id, ${D.tokens}, $1::date, $2::bigint, octet_length(d.fragment), d.fragment, d.plain_bytes, d.plain_crc
    FROM unnest($3::uuid[], $4::bytea[], $5::bigint[], $6::bigint[]) AS d (org_id, fragment, plain_bytes, plain_crc)`;
