import { credentialName, type Principal } from '../../../common/access/principal.js';

/**
 * Sent after a change that decides whether a credential works or what it may do: `{orgId, userId, credentialId?}`.
 * Without `credentialId` all of the user's credentials may be concerned.
 */
export const CREDENTIALS_CHANGED = 'credentials_changed';
/** Sent after a credential was added, which may have been refused before: `{orgId}`. */
export const CREDENTIAL_ADDED = 'credential_added';

/** With a larger lag of notifications the tables are read: so a revocation holds within a second. */
export const MAX_LAG_MS = 800;

export function concernsCredential(
  { orgId, userId, credential }: Pick<Principal, 'orgId' | 'userId' | 'credential'>,
  change: Record<string, string | undefined>,
): boolean {
  const isMeant = change.credentialId === undefined || change.credentialId === credentialName(credential);
  return change.orgId === orgId && change.userId === userId && isMeant;
}
