import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import type { Attributes, AttributeValue } from './records.js';

/* What both encodings have in common: the limits, and how values are kept. */

/** Lists and maps within each other; what is deeper is left out. */
export const MAX_DEPTH = 32;
/** Texts are cut after so many UTF-16 units: nobody stores longer ones. */
export const MAX_TEXT = 10_000;
/** Of one kind in one request. Senders stop at some thousands; an empty record takes two bytes, but much more in memory. */
export const MAX_RECORDS = 100_000;
/** Ids are 16 or 32 hex digits. */
export const MAX_ID = 64;

export type MutableAttributes = Record<string, AttributeValue>;

/** Without a prototype that a key could reach, yet as fast as a literal (`Object.create(null)` is not). */
const AttributeMap = function () {} as unknown as new () => MutableAttributes;
AttributeMap.prototype = Object.create(null) as object;

export const newAttributes = (): MutableAttributes => new AttributeMap();
export const NO_ATTRIBUTES: Attributes = Object.freeze(newAttributes());

/** The text as it may be kept: not too long, without NUL and half surrogate pairs. */
export function tidyText(text: string): string {
  let kept = text;
  if (kept.length > MAX_TEXT) kept = kept.slice(0, endsInPair(kept) ? MAX_TEXT - 1 : MAX_TEXT);
  if (kept.includes('\0')) kept = kept.replaceAll('\0', '');
  return kept.toWellFormed();
}

/** Whether a cut would leave the first half of a surrogate pair. */
function endsInPair(text: string): boolean {
  return (text.charCodeAt(MAX_TEXT - 1) & 0xfc00) === 0xd800;
}

export function keep<T>(list: T[], item: T): void {
  if (list.push(item) > MAX_RECORDS) throw tooManyRecords();
}

export function tooManyRecords(): InvalidRequestError {
  return new InvalidRequestError(`The body has more than ${MAX_RECORDS} records; send smaller batches.`);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** When a log record happened, of what it tells: some agents leave the first, some the first two empty. */
export function timeOfLog(timeMs: number | null, observedMs: number | null, attributes: Attributes): number | null {
  return timeMs ?? observedMs ?? instantMs(attributes['event.timestamp']);
}

function instantMs(value: AttributeValue | undefined): number | null {
  const instant = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(instant) ? null : instant;
}
