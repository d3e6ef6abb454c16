import type { Attributes, AttributeValue } from '../otlp/records.js';

/** What native ingest takes at most. */
export const MAX_COUNT = 1_000_000_000;

const ESCAPE = /^\\(?:[^u]|u[0-9a-f]{4})/i;

type Json = Readonly<Record<string, unknown>>;

/** Whether there is anything under this key. */
export function isTold(attributes: Attributes, key: string): boolean {
  return Object.hasOwn(attributes, key);
}

/** The attribute as text; empty when it is absent or has parts. */
export function text(attributes: Attributes, key: string): string {
  const value = isTold(attributes, key) ? attributes[key] : undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** The attribute as a count, be it sent as a number or as text; 0 when it is absent or none. */
export function count(attributes: Attributes, key: string): number {
  return isTold(attributes, key) ? toCount(attributes[key]) : 0;
}

/** A whole number from 0 to `MAX_COUNT`, whatever was sent. */
export function toCount(value: AttributeValue | undefined): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !(number > 0)) return 0;
  return Math.min(Math.round(number), MAX_COUNT);
}

/** The object in an attribute, be it sent as such or as JSON; empty when there is none. */
export function json(attributes: Attributes, key: string): Json {
  return isTold(attributes, key) ? toObject(attributes[key]) : {};
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

/** JSON that was cut for its length, most likely in a long text: closes what is open, so that the rest can be read. */
function completed(document: string): string {
  const open: string[] = [];
  let isText = false;
  let end = document.length;
  for (let at = 0; at < document.length; at++) {
    const character = document[at];
    if (isText && character === '\\') {
      // Half an escape sequence is none; the longest is six characters long.
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

/** A text in an object that came as JSON; empty when there is none. */
export function textIn(object: Json, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : '';
}

/** An object in an object that came as JSON; empty when there is none. */
export function objectIn(object: Json, key: string): Json {
  return Object.hasOwn(object, key) ? asObject(object[key]) : {};
}
