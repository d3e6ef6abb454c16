import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { UtcDay } from '../../common/time/utc-day.js';
import { AUTONOMY_CODE, CLIENT_CODE, EVENT_KIND, type EventType, NAME_KIND, TIER_CODE } from './event-codes.js';
import { isEmailAddress } from '../../common/validation/email-address.js';
import {
  isCanonicalUuid,
  isLengthWithin,
  isObject,
  isUuid,
  isWholeNumber,
  parseInstant,
} from '../../common/validation/predicates.js';
import { languageOf } from './languages.js';
import type { OwnFields } from './event-source.js';
import type { ModelPrices } from './model-prices.js';
import type { UsageEvent } from './usage-event.js';
import { cleanExtension, cleanName, cleanToolName } from './usage-names.js';

const MAX_TOKENS = 1_000_000_000;
const MAX_TEXT = 10_000;
const MAX_ID_TEXT = 200;
const UTC_INSTANT_LENGTH = '2026-01-14T00:00:00.000Z'.length;
// eslint-disable-next-line no-control-regex -- it has to find them
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f]/;
const CANONICAL_INSTANT = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const MAX_KNOWN_SESSIONS = 50_000;

/** The message is for the client. */
export class EventRejected extends Error {}

type Details = Partial<UsageEvent>;
type Raw = Record<string, unknown>;

const COMMON_FIELDS = ['id', 'type', 'at', 'sessionId', 'userEmail', 'userId', 'client'];

/** The fields that each type has besides the common ones. */
const TYPES: Record<EventType, { fields: string[]; read: (raw: Raw, prices: ModelPrices) => Details }> = {
  session_started: { fields: [], read: () => ({}) },
  user_message: { fields: [], read: () => ({}) },
  assistant_message: { fields: [], read: () => ({}) },
  model_call: {
    fields: [
      ...['modelId', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'cacheWrite1hTokens'],
      'thinkingTokens',
    ],
    read: readModelCall,
  },
  tool_call: { fields: ['tool', 'mcpServer', 'autonomyLevel'], read: readToolCall },
  skill_used: { fields: ['name'], read: (raw) => ({ name: named(NAME_KIND.skill, raw, 'name') }) },
  slash_command: { fields: ['name'], read: (raw) => ({ name: named(NAME_KIND.slashCommand, raw, 'name') }) },
  hook_run: { fields: ['event', 'matcher', 'command'], read: readHookRun },
  file_created: { fields: ['extension', 'language'], read: readFile },
  file_edited: { fields: ['extension', 'language'], read: readFile },
  git_commit: { fields: [], read: () => ({}) },
  pull_request_created: { fields: [], read: () => ({}) },
};

const ALLOWED_FIELDS = new Map(
  Object.entries(TYPES).map(([type, { fields }]) => [type, new Set([...COMMON_FIELDS, ...fields])]),
);

/** Throws `EventRejected` for an invalid event. */
export function parseEvent(raw: unknown, prices: ModelPrices, { reportedCost, isSum }: OwnFields = {}): UsageEvent {
  if (!isObject(raw)) throw new EventRejected('an event must be an object');
  const type = raw.type as EventType;
  const allowed = ALLOWED_FIELDS.get(type);
  if (!allowed) throw new EventRejected(`type must be one of ${Object.keys(TYPES).join(', ')}`);
  for (const field in raw) {
    if (!allowed.has(field)) throw new EventRejected(`${field.slice(0, 100)} is not a field of ${type}`);
  }
  const details = TYPES[type].read(raw, prices);
  return {
    id: readId(raw.id),
    kind: EVENT_KIND[type],
    at: readInstant(raw.at),
    user: readUser(raw),
    sessionKey: raw.sessionId === undefined ? null : sessionKey(text(raw, 'sessionId', 1, MAX_ID_TEXT)),
    client: raw.client === undefined ? null : choice(raw, 'client', CLIENT_CODE),
    autonomy: details.autonomy ?? null,
    tier: details.tier ?? null,
    name: details.name ?? null,
    detail: details.detail ?? null,
    inputTokens: details.inputTokens ?? null,
    outputTokens: details.outputTokens ?? null,
    cacheReadTokens: details.cacheReadTokens ?? null,
    cacheWriteTokens: details.cacheWriteTokens ?? null,
    cacheWrite1hTokens: details.cacheWrite1hTokens ?? null,
    thinkingTokens: details.thinkingTokens ?? null,
    billableTokens: details.billableTokens ?? null,
    reportedCost: reportedCost ?? null,
    isSum: isSum === true && type === 'model_call',
  };
}

const knownSessions = new LRUCache<string, string>({ max: MAX_KNOWN_SESSIONS });

/** A UUID stays as it is, to match sessions of this service; other ids are hashed to one. */
export function sessionKey(sessionId: string): string {
  if (isCanonicalUuid(sessionId)) return sessionId;
  const known = knownSessions.get(sessionId);
  if (known !== undefined) return known;
  const hex = hash('sha256', sessionId, 'hex');
  const key = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  knownSessions.set(sessionId, key);
  return key;
}

function readId(value: unknown): string {
  if (!isUuid(value)) throw new EventRejected('id must be a UUID');
  return (value as string).toLowerCase();
}

function readInstant(value: unknown): string {
  if (typeof value === 'string' && CANONICAL_INSTANT.test(value) && isDay(value.slice(0, 10))) return value;
  const instant = typeof value === 'string' ? parseInstant(value) : null;
  // The offset can move it to a year of five digits or below 1, which would not compare as text.
  if (instant?.toISOString().length !== UTC_INSTANT_LENGTH) {
    throw new EventRejected('at must be an ISO 8601 date-time with a time zone, to the millisecond at most');
  }
  return instant.toISOString();
}

let lastRealDay = '';

/** Whether the calendar has this day. Remembers the last one: most events are of the same day. */
function isDay(text: string): boolean {
  if (text === lastRealDay) return true;
  if (UtcDay.tryParse(text) === null) return false;
  lastRealDay = text;
  return true;
}

function readUser({ userId, userEmail }: Raw): UsageEvent['user'] {
  if (userId !== undefined && userEmail !== undefined) throw new EventRejected('give userId or userEmail, not both');
  if (userId !== undefined) {
    if (!isUuid(userId)) throw new EventRejected('userId must be a UUID');
    return { id: (userId as string).toLowerCase() };
  }
  if (userEmail === undefined) return null;
  if (!isEmailAddress(userEmail)) throw new EventRejected('userEmail must be an e-mail address');
  return { emailKey: (userEmail as string).toLowerCase() };
}

function readModelCall(raw: Raw, prices: ModelPrices): Details {
  const modelId = text(raw, 'modelId', 1, MAX_ID_TEXT);
  if (UNPRINTABLE.test(modelId)) throw new EventRejected('modelId must not have control characters');
  const tokens = {
    input: count(raw, 'inputTokens'),
    output: count(raw, 'outputTokens'),
    cacheRead: raw.cacheReadTokens === undefined ? 0 : count(raw, 'cacheReadTokens'),
    cacheWrite: raw.cacheWriteTokens === undefined ? 0 : count(raw, 'cacheWriteTokens'),
  };
  if (tokens.cacheRead + tokens.cacheWrite > tokens.input) {
    throw new EventRejected('inputTokens includes cached input: cacheReadTokens + cacheWriteTokens must not exceed it');
  }
  const cacheWrite1hTokens = raw.cacheWrite1hTokens === undefined ? null : count(raw, 'cacheWrite1hTokens');
  if (cacheWrite1hTokens !== null && cacheWrite1hTokens > tokens.cacheWrite) {
    throw new EventRejected('cacheWriteTokens includes cacheWrite1hTokens: it must not be less');
  }
  const thinkingTokens = raw.thinkingTokens === undefined ? 0 : count(raw, 'thinkingTokens');
  if (thinkingTokens > tokens.output)
    throw new EventRejected('outputTokens includes thinkingTokens: it must not be less');
  return {
    name: { kind: NAME_KIND.model, name: modelId },
    detail: { kind: NAME_KIND.priceBook, name: prices.version },
    tier: TIER_CODE[prices.tierOf(modelId)],
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: tokens.cacheWrite,
    cacheWrite1hTokens,
    thinkingTokens,
    billableTokens: prices.billable(modelId, tokens),
  };
}

function readToolCall(raw: Raw): Details {
  return {
    name: { kind: NAME_KIND.tool, name: cleanToolName(text(raw, 'tool', 0, MAX_TEXT)) },
    detail: raw.mcpServer === undefined ? null : named(NAME_KIND.mcpServer, raw, 'mcpServer'),
    autonomy: raw.autonomyLevel === undefined ? AUTONOMY_CODE.off : choice(raw, 'autonomyLevel', AUTONOMY_CODE),
  };
}

function readHookRun(raw: Raw): Details {
  const matcher = raw.matcher === undefined ? '' : cleanName(text(raw, 'matcher', 0, MAX_TEXT));
  const parts = [notEmpty(raw, 'event'), matcher, notEmpty(raw, 'command')];
  return { name: { kind: NAME_KIND.hook, name: JSON.stringify(parts) } };
}

function readFile(raw: Raw): Details {
  const extension = cleanExtension(text(raw, 'extension', 0, MAX_ID_TEXT));
  const language = raw.language === undefined ? languageOf(extension) : notEmpty(raw, 'language');
  return {
    name: { kind: NAME_KIND.language, name: language },
    detail: { kind: NAME_KIND.extension, name: extension },
  };
}

function named(kind: (typeof NAME_KIND)[keyof typeof NAME_KIND], raw: Raw, field: string): UsageEvent['name'] {
  return { kind, name: notEmpty(raw, field) };
}

function notEmpty(raw: Raw, field: string): string {
  const name = cleanName(text(raw, field, 1, MAX_TEXT));
  if (name === '') throw new EventRejected(`${field} must not be empty`);
  return name;
}

function text(raw: Raw, field: string, min: number, max: number): string {
  const value = raw[field];
  if (typeof value !== 'string' || !isLengthWithin(value, min, max)) {
    throw new EventRejected(`${field} must be a string of ${min} to ${max} characters`);
  }
  return value;
}

function count(raw: Raw, field: string): number {
  const value = raw[field];
  if (!isWholeNumber(value, 0, MAX_TOKENS)) {
    throw new EventRejected(`${field} must be a whole number from 0 to ${MAX_TOKENS}`);
  }
  return value;
}

function choice(raw: Raw, field: string, codes: Readonly<Record<string, number>>): number {
  const code = typeof raw[field] === 'string' && Object.hasOwn(codes, raw[field]) ? codes[raw[field]] : undefined;
  if (code === undefined) throw new EventRejected(`${field} must be one of ${Object.keys(codes).join(', ')}`);
  return code;
}
