import { Role } from '../../common/access/role.enum.js';
import type { VerifiedToken } from './jwt-verifier.js';

export interface ClaimMapping {
  orgClaim: string;
  emailClaim: string;
  roleClaim: string;
  /** The IdP's role or group names, and what they are here. */
  roleMap: Record<string, Role>;
}

export interface TokenIdentity {
  organization: string | null;
  email: string | null;
  emailVerified: boolean;
  role: Role | null;
  firstName: string;
  lastName: string;
}

type Claims = Record<string, unknown>;

const rolesHighestFirst = [Role.Owner, Role.Manager, Role.Member, Role.Guest];
const maxNameLength = 200;

/** The claim of that very name, else what the dots in the name lead to. Names may be addresses that have dots in them. */
export function readClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const head = name.slice(0, dot);
    const inner = Object.hasOwn(claims, head) ? claims[head] : undefined;
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) continue;
    const found = readClaim(inner as Claims, name.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

export function readIdentity({ claims }: Pick<VerifiedToken, 'claims'>, mapping: ClaimMapping): TokenIdentity {
  const email = readText(claims, mapping.emailClaim);
  return {
    organization: readText(claims, mapping.orgClaim),
    email,
    emailVerified: email !== null && isVouchedFor(claims, email),
    role: highestRole(readClaim(claims, mapping.roleClaim), mapping.roleMap),
    firstName: readName(claims, 'given_name'),
    lastName: readName(claims, 'family_name'),
  };
}

/** Text that the database can hold: no NUL, no half of a surrogate pair. */
export function isStorableText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

function readText(claims: Claims, name: string): string | null {
  const value = readClaim(claims, name);
  return typeof value === 'string' && value !== '' && isStorableText(value) ? value : null;
}

/** `email_verified` speaks of the standard `email` claim, so it says nothing about another address. */
function isVouchedFor(claims: Claims, email: string): boolean {
  const standard = readClaim(claims, 'email');
  return readClaim(claims, 'email_verified') === true && (standard === undefined || standard === email);
}

function readName(claims: Claims, name: string): string {
  const value = readText(claims, name) ?? '';
  return Array.from(value).length > maxNameLength ? '' : value;
}

function highestRole(claim: unknown, roleMap: Record<string, Role>): Role | null {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim];
  const roles = values.map((value) => {
    if (typeof value !== 'string') return undefined;
    return Object.hasOwn(roleMap, value) ? roleMap[value] : rolesHighestFirst.find((role) => role === value);
  });
  return rolesHighestFirst.find((role) => roles.includes(role)) ?? null;
}
