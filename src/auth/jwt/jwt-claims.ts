import { Role } from '../../common/access/role.enum.js';
import { UnauthenticatedError } from '../../common/errors/domain-error.js';
import { isStorableText } from '../../common/validation/predicates.js';

export interface ClaimMapping {
  orgClaim: string;
  emailClaim: string;
  roleClaim: string;
  /** Maps names of the IdP's roles or groups to roles; null: they have the same names. */
  roleMap: Readonly<Record<string, Role>> | null;
  /** null: none. */
  teamClaim: string | null;
}

export interface TokenIdentity {
  organization: string | null;
  email: string | null;
  emailVerified: boolean;
  role: Role | null;
  firstName: string;
  lastName: string;
  team: string | null;
}

type Claims = Record<string, unknown>;

const ROLES_HIGHEST_FIRST = [Role.Owner, Role.Manager, Role.Member, Role.Guest];
const MAX_NAME_LENGTH = 200;

/** The claim of exactly this name, else the nested one that the dots lead to: names such as URLs contain dots, too. */
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

/** Throws UnauthenticatedError when a claim has the wrong type. */
export function readIdentity(claims: Claims, mapping: ClaimMapping): TokenIdentity {
  const email = readEmail(claims, mapping.emailClaim);
  return {
    organization: readOrganization(claims, mapping.orgClaim),
    email,
    emailVerified: email !== null && isVouchedFor(claims, email),
    role: readRole(claims, mapping),
    firstName: readName(claims, 'given_name'),
    lastName: readName(claims, 'family_name'),
    team: mapping.teamClaim === null ? null : readTeam(claims, mapping.teamClaim),
  };
}

/** null only when the claim is absent: an invalid value must not fall back to the default organization. */
function readOrganization(claims: Claims, name: string): string | null {
  const value = readClaim(claims, name);
  if (value === undefined) return null;
  if (typeof value !== 'string' || value === '' || !isStorableText(value)) {
    throw new UnauthenticatedError(
      true,
      `The claim "${name}" of the token must be the text that names an organization.`,
    );
  }
  return value;
}

function readEmail(claims: Claims, name: string): string | null {
  const value = readClaim(claims, name);
  if (value !== undefined && typeof value !== 'string') {
    throw new UnauthenticatedError(true, `The claim "${name}" of the token must be text.`);
  }
  return value !== undefined && value !== '' && isStorableText(value) ? value : null;
}

/** `email_verified` is about the standard `email` claim only. */
function isVouchedFor(claims: Claims, email: string): boolean {
  return readClaim(claims, 'email_verified') === true && readClaim(claims, 'email') === email;
}

function readName(claims: Claims, name: string): string {
  const value = readClaim(claims, name);
  const isUsable = typeof value === 'string' && isStorableText(value) && Array.from(value).length <= MAX_NAME_LENGTH;
  return isUsable ? value : '';
}

/** The first text of a list counts. Nobody is refused for it: whether it can be a name is seen later. */
function readTeam(claims: Claims, name: string): string | null {
  const values = [readClaim(claims, name)].flat();
  const value = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof value === 'string' ? value.trim() : null;
}

function readRole(claims: Claims, { roleClaim, roleMap }: ClaimMapping): Role | null {
  const claim = readClaim(claims, roleClaim);
  if (claim === undefined) return null;
  if (typeof claim !== 'string' && !Array.isArray(claim)) {
    throw new UnauthenticatedError(true, `The claim "${roleClaim}" of the token must be text or a list.`);
  }
  const roles = [claim].flat().map((value: unknown) => (typeof value === 'string' ? roleOf(value, roleMap) : null));
  return ROLES_HIGHEST_FIRST.find((role) => roles.includes(role)) ?? null;
}

/** With a map only mapped names count: a group may be called "owner" for another reason. */
function roleOf(value: string, roleMap: ClaimMapping['roleMap']): Role | null {
  if (roleMap === null) return ROLES_HIGHEST_FIRST.find((role) => role === value) ?? null;
  return Object.hasOwn(roleMap, value) ? (roleMap[value] ?? null) : null;
}
