import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import type { Attributes, AttributeValue } from './records.js';

/** Deeper lists and maps are dropped. */
export const MAX_DEPTH = 32;
/** In UTF-16 units; longer texts are cut. */
export const MAX_TEXT = 10_000;
/** Per request. Exporters send some thousands; an empty record has two bytes but takes much more memory. */
export const MAX_RECORDS = 100_000;
export const MAX_ID = 64;

export type MutableAttributes = Record<string, AttributeValue>;

/** A key such as `__proto__` finds no prototype, yet as fast as a literal, which `Object.create(null)` is not. */
const AttributeMap = function () {} as unknown as new () => MutableAttributes;
AttributeMap.prototype = Object.create(null) as object;

export const newAttributes = (): MutableAttributes => new AttributeMap();
export const NO_ATTRIBUTES: Attributes = Object.freeze(newAttributes());

/** Cut to MAX_TEXT, without NUL and lone surrogates. */
export function tidyText(text: string): string {
  let kept = text;
  if (kept.length > MAX_TEXT) kept = kept.slice(0, endsInPair(kept) ? MAX_TEXT - 1 : MAX_TEXT);
  if (kept.includes('\0')) kept = kept.replaceAll('\0', '');
  return kept.toWellFormed();
}

/** Whether the cut would split a surrogate pair. */
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

/** Some agents leave the first, some the first two of these empty. */
export function timeOfLog(timeMs: number | null, observedMs: number | null, attributes: Attributes): number | null {
  return timeMs ?? observedMs ?? instantMs(attributes['event.timestamp']);
}

function instantMs(value: AttributeValue | undefined): number | null {
  const instant = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(instant) ? null : instant;
}
