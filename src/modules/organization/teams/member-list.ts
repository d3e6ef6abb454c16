import { type FieldError, MAX_FIELD_ERRORS } from '../../../common/errors/domain-error.js';
import { isObject, isUuid } from '../../../common/validation/predicates.js';
import { invalid } from '../../../common/validation/request-builder.js';
import { DAY_RULE, isMembershipDay, type Membership } from './membership.js';

const FIELDS = ['userId', 'from', 'to'];

/** By hand: class-validator would take a second for thousands of entries. Each day is looked at once. */
export function readMembers(entries: readonly unknown[], teamId: string): Membership[] {
  const errors: FieldError[] = [];
  const days = new Map<unknown, boolean>();
  const isDay = (value: unknown): value is string => {
    const known = days.get(value) ?? (typeof value === 'string' && isMembershipDay(value));
    days.set(value, known);
    return known;
  };
  const members: Membership[] = [];
  for (const [place, entry] of entries.entries()) {
    const found = problemsOf(entry, isDay);
    errors.push(...found.map(({ field, message }) => ({ field: `members.${place}${field}`, message })));
    if (errors.length >= MAX_FIELD_ERRORS) break;
    if (found.length > 0) continue;
    const { userId, from, to = null } = entry as { userId: string; from: string; to?: string | null };
    members.push({ userId: userId.toLowerCase(), teamId, from, to });
  }
  if (errors.length > 0) throw invalid(errors);
  return members;
}

function problemsOf(entry: unknown, isDay: (value: unknown) => value is string): FieldError[] {
  if (!isObject(entry)) return [{ field: '', message: 'must be an object' }];
  const { userId, from, to } = entry;
  const unknown = Object.keys(entry).filter((name) => !FIELDS.includes(name));
  const problems = unknown.map((name) => ({ field: `.${name.slice(0, 100)}`, message: 'is not a known field' }));
  if (!isUuid(userId)) problems.push({ field: '.userId', message: 'must be a UUID' });
  if (!isDay(from)) problems.push({ field: '.from', message: DAY_RULE });
  if (to === undefined || to === null) return problems;
  if (!isDay(to)) problems.push({ field: '.to', message: DAY_RULE });
  else if (isDay(from) && to < from) problems.push({ field: '.to', message: 'must not be before from' });
  return problems;
}
