import { createHash, randomBytes } from 'node:crypto';
import { stringify, parse } from 'uuid';

const ID_BYTES = 16;
const RANDOM_BYTES = 32;
const SHAPE = /^[A-Za-z0-9_-]{64}$/;

/** The id of the organization and 256 random bits, in base64url: so it is looked up behind the tenant wall. */
export function newOrganizationSecret(orgId: string): string {
  return Buffer.concat([parse(orgId), randomBytes(RANDOM_BYTES)]).toString('base64url');
}

/** The organization that a secret names; null when it is no such secret. */
export function organizationOf(secret: string): string | null {
  if (!SHAPE.test(secret)) return null;
  try {
    return stringify(Buffer.from(secret, 'base64url').subarray(0, ID_BYTES));
  } catch {
    return null; // its first bytes are no UUID
  }
}

/** A plain hash suffices for 256 random bits. */
export function hashOrganizationSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
