import type { Principal } from '../../common/access/principal.js';

/**
 * The wake-up after a change that decides whether a credential works or what it may do: `{orgId, userId, credentialId?}`.
 * Without `credentialId` all of the user's credentials may be concerned.
 */
export const CREDENTIALS_CHANGED = 'credentials_changed';
/** The wake-up after a credential was added, which somebody may have tried in vain before: `{orgId}`. */
export const CREDENTIAL_ADDED = 'credential_added';

export function concernsCredential(
  { orgId, userId, credentialId }: Principal,
  change: Record<string, string | undefined>,
): boolean {
  const isMeant = change.credentialId === undefined || change.credentialId === credentialId;
  return change.orgId === orgId && change.userId === userId && isMeant;
}
