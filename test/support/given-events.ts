import { randomUUID } from 'node:crypto';
import {
  AUTONOMY_CODE,
  CLIENT_CODE,
  EVENT_KIND,
  type EventType,
  TIER_CODE,
} from '../../src/modules/ingest/event-codes.js';
import type { ApiAnswer } from './api-client.js';
import type { GivenUser } from './given.js';
import type { TestApp } from './test-app.js';
import { query } from './test-database.js';

export const INGEST = '/api/v1/ingest/events';
export const NDJSON = 'application/x-ndjson';

/** Default time of events. */
export const EVENT_AT = '2026-11-14T09:30:00.000Z';

export type SentEvent = Record<string, unknown> & { id: string; type: string; at: string };

/** Required fields of each type. */
const REQUIRED: Partial<Record<EventType, Record<string, unknown>>> = {
  model_call: { modelId: 'model-a', inputTokens: 100, outputTokens: 10 },
  tool_call: { tool: 'Read' },
  skill_used: { name: 'review' },
  slash_command: { name: 'compact' },
  hook_run: { event: 'PostToolUse', command: 'npm run lint' },
  file_created: { extension: 'ts' },
  file_edited: { extension: 'ts' },
};

/** A valid event with a new id; a field that is undefined is left out. */
export function anEvent(type: EventType = 'user_message', fields: Record<string, unknown> = {}): SentEvent {
  const event = { id: randomUUID(), type, at: EVENT_AT, ...REQUIRED[type], ...fields } as Record<string, unknown>;
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined)) as SentEvent;
}

export function sendEvents(app: TestApp, user: GivenUser, events: unknown[]): Promise<ApiAnswer> {
  return app.as(user).post(INGEST, { events });
}

/** Fails unless all events are new and valid. */
export async function givenEvents(app: TestApp, user: GivenUser, events: SentEvent[]): Promise<void> {
  const { status, text, body } = await sendEvents(app, user, events);
  if (status !== 200 || body.accepted !== events.length) throw new Error(`The events were refused: ${status} ${text}`);
}

/** A row of `events` with names instead of numbers. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly userId: string;
  readonly sessionKey: string | null;
  readonly client: string;
  readonly autonomy: string | null;
  readonly tier: string | null;
  readonly name: string | null;
  readonly detail: string | null;
  /** Input, output, cache read, cache write, billable. */
  readonly tokens: number[] | null;
}

/** By time and id; all of the organization, or those with these ids. */
export async function storedEvents(app: TestApp, orgId: string, ids: string[] | null = null): Promise<StoredEvent[]> {
  const rows = await query<
    StoredEvent & { kind: number; clientCode: number; autonomyCode: number | null; tierCode: number | null }
  >(
    app.database.url,
    `SELECT e.id, e.kind, e.at, e.user_id AS "userId", e.session_id AS "sessionKey", e.client AS "clientCode",
            e.autonomy AS "autonomyCode", e.tier AS "tierCode", n.name, d.name AS detail,
            CASE WHEN e.billable_tokens IS NOT NULL THEN
              ARRAY[e.input_tokens, e.output_tokens, e.cache_read_tokens, e.cache_write_tokens, e.billable_tokens]::float8[]
            END AS tokens
       FROM events e
       LEFT JOIN event_names n ON n.org_id = e.org_id AND n.id = e.name_id
       LEFT JOIN event_names d ON d.org_id = e.org_id AND d.id = e.detail_id
      WHERE e.org_id = $1 AND ($2::uuid[] IS NULL OR e.id = ANY ($2)) ORDER BY e.at, e.id`,
    [orgId, ids],
  );
  return rows.map(({ kind, clientCode, autonomyCode, tierCode, ...row }) => ({
    ...row,
    at: new Date(row.at).toISOString(),
    type: wordOf(EVENT_KIND, kind),
    client: wordOf(CLIENT_CODE, clientCode),
    autonomy: autonomyCode === null ? null : wordOf(AUTONOMY_CODE, autonomyCode),
    tier: tierCode === null ? null : wordOf(TIER_CODE, tierCode),
  }));
}

/** Events per day that are not aggregated yet. */
export async function dirtyDays(app: TestApp, orgId: string): Promise<Record<string, number>> {
  const rows = await query<{ day: string; events: number }>(
    app.database.url,
    `SELECT m.day::text AS day, sum(m.events)::int AS events FROM dirty_days m WHERE m.org_id = $1 GROUP BY m.day`,
    [orgId],
  );
  return Object.fromEntries(rows.map(({ day, events }) => [day, events]));
}

function wordOf(codes: Readonly<Record<string, number>>, code: number): string {
  return Object.keys(codes).find((word) => codes[word] === code) ?? `no word for ${code}`;
}
