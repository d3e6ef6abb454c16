import type { Principal } from '../../common/access/principal.js';

export function concernsCredential(
  { orgId, userId, credentialId }: Principal,
  change: Record<string, string | undefined>,
): boolean {
  const isMeant = change.credentialId === undefined || change.credentialId === credentialId;
  return change.orgId === orgId && change.userId === userId && isMeant;
}
