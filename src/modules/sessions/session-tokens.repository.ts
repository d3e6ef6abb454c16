import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { NewEventHandlers } from '../ingest/new-event-handlers.js';
import type { EventRow } from '../ingest/usage-event.js';

/** The token counters of sessions: added to in the transaction that stores the events. */
@Injectable()
export class SessionTokensRepository {
  constructor(newEvents: NewEventHandlers) {
    newEvents.add(addTokens);
  }
}

async function addTokens(client: PoolClient, orgId: string, events: readonly EventRow[]): Promise<void> {
  const calls = events.filter(({ billableTokens, sessionKey }) => billableTokens !== null && mayBeOurs(sessionKey));
  if (calls.length === 0) return;
  await client.query(
    `UPDATE sessions s
        SET input_tokens = s.input_tokens + x.input, output_tokens = s.output_tokens + x.output,
            cache_read_tokens = s.cache_read_tokens + x.cache_read,
            cache_creation_tokens = s.cache_creation_tokens + x.cache_write,
            thinking_tokens = s.thinking_tokens + x.thinking
       FROM (SELECT c.user_id, c.session_id, sum(c.input) AS input, sum(c.output) AS output,
                    sum(c.cache_read) AS cache_read, sum(c.cache_write) AS cache_write, sum(c.thinking) AS thinking
               FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[])
                 AS c (user_id, session_id, input, output, cache_read, cache_write, thinking)
              GROUP BY c.user_id, c.session_id) x
      WHERE s.org_id = $1 AND s.id = x.session_id AND s.user_id = x.user_id`,
    [
      orgId,
      calls.map((row) => row.userId),
      calls.map((row) => row.sessionKey),
      calls.map((row) => row.inputTokens),
      calls.map((row) => row.outputTokens),
      calls.map((row) => row.cacheReadTokens),
      calls.map((row) => row.cacheWriteTokens),
      calls.map((row) => row.thinkingTokens),
    ],
  );
}

/** Sessions of this service have ids of version 7; other clients' session ids are mostly hashes, which have version 8. */
function mayBeOurs(sessionKey: string | null): boolean {
  return sessionKey?.charAt(14) === '7';
}
