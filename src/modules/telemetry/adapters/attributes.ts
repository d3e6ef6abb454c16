import type { Attributes, AttributeValue } from '../otlp/records.js';

/** The largest count that ingest accepts. */
export const MAX_COUNT = 1_000_000_000;

const ESCAPE = /^\\(?:[^u]|u[0-9a-f]{4})/i;

type Json = Readonly<Record<string, unknown>>;

export function hasAttribute(attributes: Attributes, key: string): boolean {
  return Object.hasOwn(attributes, key);
}

/** Empty when the attribute is absent, a list or a map. */
export function text(attributes: Attributes, key: string): string {
  const value = hasAttribute(attributes, key) ? attributes[key] : undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Sent as a number or as text; 0 when absent or invalid. */
export function count(attributes: Attributes, key: string): number {
  return hasAttribute(attributes, key) ? toCount(attributes[key]) : 0;
}

/** Rounds and clamps to 0..MAX_COUNT. */
export function toCount(value: AttributeValue | undefined): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !(number > 0)) return 0;
  return Math.min(Math.round(number), MAX_COUNT);
}

/** Sent as a map or as JSON text; empty when absent or invalid. */
export function json(attributes: Attributes, key: string): Json {
  return hasAttribute(attributes, key) ? toObject(attributes[key]) : {};
}

function toObject(value: unknown): Json {
  return asObject(typeof value === 'string' ? (parse(value) ?? parse(completed(value))) : value);
}

function parse(document: string): unknown {
  try {
    return JSON.parse(document);
  } catch {
    return undefined;
  }
}

/** Closes the open strings, lists and objects of a truncated JSON text, so that its beginning can be parsed. */
function completed(document: string): string {
  const open: string[] = [];
  let isText = false;
  let end = document.length;
  for (let at = 0; at < document.length; at++) {
    const character = document[at];
    if (isText && character === '\\') {
      // Drops an incomplete escape sequence; the longest is six characters.
      if (!ESCAPE.test(document.slice(at, at + 6))) end = Math.min(end, at);
      at++;
    } else if (character === '"') isText = !isText;
    else if (!isText && (character === '{' || character === '[')) open.push(character === '{' ? '}' : ']');
    else if (!isText && (character === '}' || character === ']')) open.pop();
  }
  return document.slice(0, end) + (isText ? '"' : '') + open.reverse().join('');
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function textIn(object: Json, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : '';
}

export function objectIn(object: Json, key: string): Json {
  return Object.hasOwn(object, key) ? asObject(object[key]) : {};
}
