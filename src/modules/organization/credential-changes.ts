import type { Principal } from '../../common/access/principal.js';

/**
 * The wake-up after a change that decides whether a credential works or what it may do: `{orgId, userId, credentialId?}`.
 * Without `credentialId` all of the user's credentials may be concerned.
 */
export const CREDENTIALS_CHANGED = 'credentials_changed';

export function concernsCredential(
  { orgId, userId, credentialId }: Principal,
  change: Record<string, string | undefined>,
): boolean {
  const isMeant = change.credentialId === undefined || change.credentialId === credentialId;
  return change.orgId === orgId && change.userId === userId && isMeant;
}
