import { type MemberFilter, ROLES, type RoleName } from '../../../api/members.js';
import { textOf } from '../address-text.js';

export const STATES = { active: 'Active', deactivated: 'Deactivated' } as const;

export function readMembersSearch(raw: Record<string, unknown>): MemberFilter {
  const { role, state } = raw;
  const search = textOf(raw.search)?.slice(0, 200);
  const team = textOf(raw.team);
  return {
    ...(search ? { search } : {}),
    ...(typeof role === 'string' && role in ROLES ? { role: role as RoleName } : {}),
    ...(state === 'active' || state === 'deactivated' ? { state } : {}),
    ...(team && /^(none|[0-9a-f-]{36})$/.test(team) ? { team } : {}),
  };
}
