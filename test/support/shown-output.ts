type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const OPEN = '__and_more__';
const UUID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g;
const INSTANT = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const DAY = /\b\d{4}-\d\d-\d\d\b/g;
const KEY = /\bapk_(?:<49 characters>|\w{49})/g;
const LINK_SECRET = /#welcome=(?:<64 characters>|[\w-]{64})/g;
const KEY_START = /\bapk_\w{6}\b/g;
const LOG_LINE = /^\d{4}-\d\d-\d\dT/;
/** Milliseconds since 1970. */
const isInstant = (value: number) => value > 1e12;

/** `shape`: keys and types; `values`: also values, apart from ids, instants, days and keys. */
export type Strictness = 'shape' | 'values';

/** Describes where the output differs from what the page shows; null when it does not. */
export function differenceOf(shown: string, printed: string, strictness: Strictness): string | null {
  const expected = parse(withPlaceholders(shown));
  if (expected === undefined) return differenceOfText(shown, printed, strictness);
  const actual = parse(printed);
  return actual === undefined ? `is not JSON: ${printed}` : differenceOfJson(expected, actual, strictness, '');
}

/**
 * Each line that is shown has to be printed, in this order; others may be in between. Where values do not count, log lines
 * do not either: they tell what was done, which is less the second time.
 */
function differenceOfText(shown: string, printed: string, strictness: Strictness): string | null {
  const lines = printed.split('\n').map((line) => line.trim());
  let from = 0;
  for (const line of shown.split('\n').map((text) => text.trim())) {
    if (line === '' || line === '...' || (strictness === 'shape' && LOG_LINE.test(line))) continue;
    const place = lines.findIndex((other, i) => i >= from && isSameLine(line, other, strictness));
    if (place < 0) return `no line "${line}" in:\n${printed}`;
    from = place + 1;
  }
  return null;
}

function isSameLine(shown: string, printed: string, strictness: Strictness): boolean {
  const [, field, json] = /^(data: )(\{.*)$/.exec(shown) ?? [];
  if (field !== undefined && json !== undefined) {
    return printed.startsWith(field) && differenceOf(json, printed.slice(field.length), strictness) === null;
  }
  if (strictness === 'values') return masked(shown) === masked(printed);
  const withoutNumbers = (text: string) => masked(text).replace(/\d+/g, '0');
  return withoutNumbers(shown) === withoutNumbers(printed);
}

function differenceOfJson(expected: Json, actual: Json, strictness: Strictness, path: string): string | null {
  if (kindOf(expected) !== kindOf(actual)) return `${path} is ${JSON.stringify(actual)}`;
  if (Array.isArray(expected)) return differenceOfLists(expected, actual as Json[], strictness, path);
  if (expected !== null && typeof expected === 'object') {
    return differenceOfObjects(expected, actual as Record<string, Json>, strictness, path);
  }
  if (strictness === 'shape') return null;
  const isEqual = typeof expected === 'string' ? masked(expected) === masked(actual as string) : expected === actual;
  const areInstants = typeof expected === 'number' && isInstant(expected) && isInstant(Number(actual));
  return isEqual || areInstants || isPlaceholder(expected) ? null : `${path} is ${JSON.stringify(actual)}`;
}

function differenceOfLists(expected: Json[], actual: Json[], strictness: Strictness, path: string): string | null {
  const items = expected.filter((item) => item !== OPEN);
  const isOpen = items.length < expected.length;
  if (isOpen ? actual.length < items.length : actual.length !== items.length)
    return `${path} has ${actual.length} items`;
  for (const [i, item] of items.entries()) {
    const difference = differenceOfJson(item, actual[i] ?? null, strictness, `${path}[${i}]`);
    if (difference !== null) return difference;
  }
  return null;
}

function differenceOfObjects(
  { [OPEN]: more, ...expected }: Record<string, Json>,
  actual: Record<string, Json>,
  strictness: Strictness,
  path: string,
): string | null {
  const unknown = Object.keys(actual).filter((key) => !(key in expected));
  if (more === undefined && unknown.length > 0) return `${path} also has ${unknown.join(', ')}`;
  for (const [key, value] of Object.entries(expected)) {
    if (!(key in actual)) return `${path} has no ${key}`;
    const difference = differenceOfJson(value, actual[key] as Json, strictness, `${path}.${key}`);
    if (difference !== null) return difference;
  }
  return null;
}

/** Makes JSON of an answer that is shortened with `…`. */
function withPlaceholders(shown: string): string {
  return shown
    .replaceAll('{…}', `{"${OPEN}":true}`)
    .replaceAll('[…]', `["${OPEN}"]`)
    .replaceAll(',…}', `,"${OPEN}":true}`)
    .replaceAll(',…]', `,"${OPEN}"]`);
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function kindOf(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

function isPlaceholder(value: Json): boolean {
  return typeof value === 'string' && /^<.*>$/.test(value);
}

function masked(text: string): string {
  return text
    .replace(UUID, '<id>')
    .replace(INSTANT, '<instant>')
    .replace(DAY, '<day>')
    .replace(KEY, '<key>')
    .replace(LINK_SECRET, '#welcome=<secret>')
    .replace(KEY_START, '<key>')
    .replace(/\S*(?=\/\.agent-platform|\/dist\/)/g, '<folder>')
    .replace(/\S*\/node\b/g, '<node>');
}
