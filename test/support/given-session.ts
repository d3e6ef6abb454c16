import { randomBytes } from 'node:crypto';
import type { GivenUser } from './given.js';
import type { TestApp } from './test-app.js';
import { query } from './test-database.js';

export const SESSIONS = '/api/v0/sessions';

export interface GivenSession {
  readonly orgId: string;
  readonly user: GivenUser;
  readonly id: string;
  readonly computerId: string;
  /** URL path of the session. */
  readonly path: string;
}

export async function givenComputer(app: TestApp, user: GivenUser): Promise<string> {
  const { body } = await app.as(user).post('/api/v0/computers', { name: `c-${randomBytes(6).toString('hex')}` });
  return body.id as string;
}

/** Changes who may use a computer and whether it is trusted. */
export async function givenAccess(app: TestApp, by: GivenUser, computerId: string, access: object): Promise<void> {
  const { status, body } = await app.as(by).put(`/api/v0/computers/${computerId}/access`, access);
  if (status !== 200) throw new Error(`The change was refused: ${status} ${JSON.stringify(body)}`);
}

export async function givenSharedComputer(app: TestApp, user: GivenUser): Promise<string> {
  const computerId = await givenComputer(app, user);
  await givenAccess(app, user, computerId, { access: 'organization' });
  return computerId;
}

/** On a new computer unless one is given. */
export async function givenSession(app: TestApp, user: GivenUser, computerId?: string): Promise<GivenSession> {
  const computer = computerId ?? (await givenComputer(app, user));
  const { body } = await app.as(user).post(SESSIONS, { computerId: computer });
  const id = body.sessionId as string;
  return { orgId: user.orgId, user, id, computerId: computer, path: `${SESSIONS}/${id}` };
}

/** Returns its id. */
export async function givenMessage(app: TestApp, session: GivenSession, text: string): Promise<string> {
  const { status, body } = await app.as(session.user).post(`${session.path}/messages`, { text });
  if (status !== 200) throw new Error(`The message was refused: ${status} ${JSON.stringify(body)}`);
  return body.messageId as string;
}

export interface StoredMessage {
  readonly role: string;
  /** JSON text as stored. */
  readonly content?: string;
  readonly details?: string;
}

/** Appends a message like an agent; returns its id. */
export async function givenStoredMessage(
  app: TestApp,
  session: GivenSession,
  { role, content = '[]', details = '{}' }: StoredMessage,
): Promise<string> {
  const [row] = await query<{ id: string }>(
    app.database.url,
    `WITH s AS (UPDATE sessions SET message_count = message_count + 1 WHERE org_id = $1 AND id = $2 RETURNING *)
     INSERT INTO messages (org_id, session_id, id, seq, user_id, role, content, details, search, created_at, updated_at)
     SELECT s.org_id, s.id, gen_random_uuid(), s.message_count, s.user_id, $3, $4::json, $5::json, '', now(), now() FROM s
     RETURNING id`,
    [session.orgId, session.id, role, content, details],
  );
  if (!row) throw new Error('There is no such session');
  return row.id;
}

/** Takes the oldest turn of a session like an agent. */
export async function givenRunningTurn(app: TestApp, session: GivenSession): Promise<void> {
  const parameters = [session.orgId, session.id];
  await query(
    app.database.url,
    `UPDATE turns SET status = 'running', attempt = 1, started_at = now()
      WHERE org_id = $1 AND session_id = $2 AND status = 'queued'
        AND created_at = (SELECT min(created_at) FROM turns WHERE org_id = $1 AND session_id = $2)`,
    parameters,
  );
  const sql = `UPDATE sessions SET status = 'running', completed_at = NULL WHERE org_id = $1 AND id = $2`;
  await query(app.database.url, sql, parameters);
}

/** The stored state of a session. */
export interface StoredSession {
  readonly messages: number;
  /** State and outcome of each, oldest first. */
  readonly turns: string[];
  readonly events: number;
  readonly eventSeq: number;
}

export async function storedSession(app: TestApp, session: GivenSession): Promise<StoredSession> {
  const [row] = await query<StoredSession>(
    app.database.url,
    `SELECT (SELECT count(*)::int FROM messages m WHERE m.session_id = s.id) AS messages,
            (SELECT coalesce(array_agg(t.status || coalesce(' ' || t.end_reason, '') ORDER BY t.created_at, t.message_id),
                             '{}') FROM turns t WHERE t.session_id = s.id) AS turns,
            (SELECT count(*)::int FROM session_events e WHERE e.session_id = s.id) AS events, s.event_seq::int AS "eventSeq"
       FROM sessions s WHERE s.id = $1`,
    [session.id],
  );
  if (!row) throw new Error('There is no such session');
  return row;
}
