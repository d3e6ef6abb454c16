import { isLengthWithin, isStorableText } from '../../../common/validation/predicates.js';

export interface Team {
  readonly id: string;
  readonly name: string;
  readonly nameKey: string;
}

/** Teams of an organization. */
export const MAX_TEAMS = 1_000;
export const MAX_NAME_LENGTH = 100;
/** Analytics shows these for people without a team and for the rest of a list. */
const RESERVED_NAMES = ['(none)', '(other)'];

export const NAME_RULE =
  `must be 1 to ${MAX_NAME_LENGTH} characters without control characters or spaces at the ends, ` +
  `and not ${RESERVED_NAMES.join(' or ')}`;

export function isTeamName(name: string): boolean {
  return (
    isLengthWithin(name, 1, MAX_NAME_LENGTH) &&
    isStorableText(name) &&
    !/\p{Cc}/u.test(name) &&
    name.trim() === name &&
    !RESERVED_NAMES.includes(teamKey(name))
  );
}

/** For comparing names. Not lower() in SQL, which depends on the locale of the database. */
export function teamKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
