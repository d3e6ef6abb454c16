/** Makes text from agents storable: well-formed, without NUL and of limited size. */

const MAX_DEPTH = 50;
const NUL = '\u0000';
const ROOM_FOR_NOTE = 100;

export function cleanText(text: string): string {
  return text.replaceAll(NUL, '').toWellFormed();
}

/** Cuts between characters and notes how many are missing. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}${cutNote(text.length - max)}`;
}

export function cutNote(characters: number): string {
  return `… [cut: ${characters} characters]`;
}

/** The longest prefix that has at most `max` characters as JSON, without quotes. */
export function jsonPrefix(text: string, max: number): string {
  let prefix = text;
  for (let length = Math.min(text.length, max); jsonLength(prefix) > max + 2; length = Math.floor(length * 0.9)) {
    prefix = text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  }
  return prefix;
}

/** The same with a note, which does not count. */
export function cutToJson(text: string, max: number): string {
  const prefix = jsonPrefix(text, max);
  return prefix.length === text.length ? text : prefix + cutNote(text.length - prefix.length);
}

/** An object of at most `max` characters as JSON; long texts in it are cut. */
export function boundedObject(value: unknown, max: number): Record<string, unknown> {
  const clean = cleanJson(value, Infinity, 0);
  if (clean === null || clean === undefined) return {};
  const object = isRecord(clean) ? clean : { input: clean };
  for (const maxText of [Infinity, max / 4, max / 20, max / 200]) {
    const shorter = cleanJson(object, Math.floor(maxText), 0);
    if (isRecord(shorter) && jsonLength(shorter) <= max) return shorter;
  }
  return { input: cutToJson(JSON.stringify(object), max - ROOM_FOR_NOTE) };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function jsonLength(value: unknown): number {
  return JSON.stringify(value).length;
}

function cleanJson(value: unknown, maxText: number, depth: number): unknown {
  if (typeof value === 'string') return cutText(cleanText(value), maxText);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '… [cut: too deep]';
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, maxText, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item, maxText, depth + 1)]),
  );
}
