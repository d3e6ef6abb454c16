import { credentialName, type Principal } from '../../../common/access/principal.js';

/** With a larger lag of notifications the tables are read: so a revocation holds within a second. */
export const MAX_LAG_MS = 800;

export function concernsCredential(
  { orgId, userId, credential }: Pick<Principal, 'orgId' | 'userId' | 'credential'>,
  change: Record<string, string | undefined>,
): boolean {
  const isMeant = change.credentialId === undefined || change.credentialId === credentialName(credential);
  return change.orgId === orgId && change.userId === userId && isMeant;
}
