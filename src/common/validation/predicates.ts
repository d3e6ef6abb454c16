import { UtcDay } from '../time/utc-day.js';

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isWholeNumber(value: unknown, min: number, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

export function isList(value: unknown, min: number, max: number): value is unknown[] {
  return Array.isArray(value) && value.length >= min && value.length <= max;
}

const CANONICAL_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID = new RegExp(CANONICAL_UUID, 'i');

export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && UUID.test(value);
}

/** A UUID as Postgres writes it: in lower case. */
export function isCanonicalUuid(value: string): boolean {
  return CANONICAL_UUID.test(value);
}

/** Date accepts 24:00:00 as the next day; here an instant has one spelling. */
const INSTANT = /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d{1,3})?(?:Z|[+-]\d{2}:\d{2})$/;

export function parseInstant(value: string): Date | null {
  const day = INSTANT.exec(value)?.[1];
  if (day === undefined) return null;
  const instant = new Date(value);
  // Date accepts 30 February as 2 March.
  return Number.isNaN(instant.getTime()) || UtcDay.tryParse(day) === null ? null : instant;
}

/** In code points. */
export function isLengthWithin(value: string, min: number, max: number): boolean {
  if (value.length > max * 2 || value.length < min) return false;
  if (value.length <= max && (min <= 1 || value.length >= min * 2)) return true; // whatever the characters are
  const length = [...value].length;
  return length >= min && length <= max;
}

/** Text that the database can hold: no NUL, no half of a surrogate pair. */
export function isStorableText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}
