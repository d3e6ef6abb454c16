import type { SessionStatus } from '../../api/sessions.js';

/** The part of the address that is this page's own. */
export interface SessionsSearch {
  readonly of?: 'organization';
  /** Words that are looked for in messages. */
  readonly q?: string;
  readonly computer?: string;
  readonly status?: SessionStatus;
  readonly user?: string;
  /** Days; only sessions that began on them or between. */
  readonly since?: string;
  readonly until?: string;
}

export const STATUSES: Readonly<Record<SessionStatus, string>> = {
  idle: 'Idle',
  pending: 'Waiting',
  running: 'Running',
};

export function readSessionsSearch(raw: Record<string, unknown>): SessionsSearch {
  const { of, q, computer, status, user, since, until } = raw;
  return {
    ...(of === 'organization' ? { of } : {}),
    ...(isText(q) ? { q: `${q}` } : {}),
    ...(isText(computer) ? { computer: `${computer}` } : {}),
    ...(typeof status === 'string' && status in STATUSES ? { status: status as SessionStatus } : {}),
    ...(typeof user === 'string' && UUID.test(user) ? { user } : {}),
    ...(isDay(since) ? { since } : {}),
    ...(isDay(until) ? { until } : {}),
  };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The router reads digits as a number. */
const isText = (value: unknown): value is string | number =>
  (typeof value === 'string' || typeof value === 'number') && String(value) !== '' && String(value).length <= 200;

const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));

/** First and last day, as instants of the service: from the first moment to the moment after the last. */
export function periodOf({ since, until }: SessionsSearch): { from?: string; to?: string } {
  const dayAfter = (text: string) => new Date(Date.parse(text) + 86_400_000).toISOString();
  return {
    ...(since === undefined ? {} : { from: new Date(since).toISOString() }),
    ...(until === undefined ? {} : { to: dayAfter(until) }),
  };
}
