import { givenSession, type GivenSession } from './given-session.js';
import type { GivenUser } from './given.js';
import type { TestApp } from './test-app.js';
import { query } from './test-database.js';

export interface LongSession extends GivenSession {
  /** Oldest first. */
  readonly messageIds: readonly string[];
}

/** A session with many messages of people, agents and tools, written straight into the database. */
export async function givenLongSession(app: TestApp, user: GivenUser, count: number): Promise<LongSession> {
  const session = await givenSession(app, user);
  const rows = await query<{ id: string }>(
    app.database.url,
    `INSERT INTO messages (org_id, session_id, id, seq, user_id, role, content, details, search, created_at, updated_at)
     SELECT s.org_id, s.id, gen_random_uuid(), n, s.user_id,
            CASE n % 4 WHEN 1 THEN 'user' WHEN 3 THEN 'tool' ELSE 'assistant' END,
            CASE n % 4
              WHEN 1 THEN json_build_array(json_build_object('type', 'text', 'text', 'Question ' || n))
              WHEN 2 THEN json_build_array(
                json_build_object('type', 'text', 'text', 'Let me **look** at file ' || n || '.'),
                json_build_object('type', 'tool_use', 'id', 't' || n, 'name', 'Bash',
                                  'input', json_build_object('command', 'cat ' || n)))
              WHEN 3 THEN json_build_array(json_build_object('type', 'tool_result', 'toolUseId', 't' || (n - 1),
                                                             'content', 'line ' || n))
              ELSE json_build_array(json_build_object('type', 'text', 'text',
                'Answer ' || n || E':\\n\\n- one\\n- two with \`code\`\\n\\n\`\`\`ts\\nconst x = ' || n || E';\\n\`\`\`\\n'))
            END, '{}'::json, '', now() - (2 * $3 - n) * interval '1 second', now() - (2 * $3 - n) * interval '1 second'
       FROM sessions s, generate_series(1, $3::int) n WHERE s.org_id = $1 AND s.id = $2
     RETURNING id, seq`,
    [session.orgId, session.id, count],
  );
  await query(
    app.database.url,
    `UPDATE sessions SET message_count = $3, title = 'A long session' WHERE org_id = $1 AND id = $2`,
    [session.orgId, session.id, count],
  );
  return { ...session, messageIds: rows.map(({ id }) => id) };
}
