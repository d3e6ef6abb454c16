import type { Topic } from '../../database/notification-topics.js';
import type { SqlParameters } from '../../database/sql-parameters.js';
import { type SessionEvent } from './session-events.js';
import type { SessionEntity } from './session.entity.js';

/** What changes about a session when something happens in it; what is left out stays. */
export interface SessionActivity {
  at: Date;
  events: SessionEvent[];
  addedMessages?: number;
  status?: SessionEntity['status'];
  completedAt?: Date | null;
  computerId?: string;
  title?: string | null;
}

/**
 * CTEs that update a session, insert its events and notify its readers; `target.session` is a relation with a session_id.
 * Events are numbered from a counter in the session's row: its lock makes the order of numbers the order of commits, so a
 * reader that has seen number n cannot miss a smaller one.
 */
export function activityCtes(
  p: SqlParameters,
  target: { orgId: string; session: string },
  activity: SessionActivity,
): string {
  const { events } = activity;
  const at = p.add(activity.at);
  const count = p.add(events.length);
  const types = p.add(events.map(({ type }) => type));
  const messageIds = p.add(events.map((event) => ('messageId' in event ? event.messageId : null)));
  const statuses = p.add(events.map((event) => ('status' in event ? event.status : null)));
  const assignments = [...columnsOf(p, activity), `updated_at = ${at}`, `event_seq = s.event_seq + ${count}`];
  return `changed_session AS (
         UPDATE sessions s SET ${assignments.join(', ')}
           FROM ${target.session} x WHERE s.org_id = ${target.orgId} AND s.id = x.session_id
         RETURNING s.org_id, s.id, s.event_seq - ${count} AS last_seq,
                   pg_notify(${p.add('session_changed' satisfies Topic)}, json_build_object('orgId', s.org_id, 'sessionId', s.id,
                     'userId', s.user_id, 'status', s.status, 'computerId', s.computer_id)::text)),
       new_events AS (
         INSERT INTO session_events (org_id, session_id, seq, type, message_id, status, created_at)
         SELECT s.org_id, s.id, s.last_seq + e.n, e.type, e.message_id, e.status, ${at}
           FROM changed_session s,
                unnest(${types}::text[], ${messageIds}::uuid[], ${statuses}::text[])
                  WITH ORDINALITY AS e (type, message_id, status, n))`;
}

function columnsOf(p: SqlParameters, activity: SessionActivity): string[] {
  const { addedMessages, status, completedAt, computerId, title } = activity;
  const values = { status, completed_at: completedAt, computer_id: computerId, title };
  return [
    ...(addedMessages === undefined ? [] : [`message_count = s.message_count + ${p.add(addedMessages)}`]),
    ...Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${name} = ${p.add(value)}`])),
  ];
}
