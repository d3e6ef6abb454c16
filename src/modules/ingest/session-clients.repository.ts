import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../common/bounded-cache.js';
import { BulkDatabase } from '../../database/bulk-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { SystemDatabase } from '../../database/system-database.js';

export interface SessionMention {
  readonly userId: string;
  /** null: the event belongs to no session. */
  readonly sessionKey: string | null;
  /** null: the event names none. */
  readonly client: number | null;
}

interface StoredClient {
  userId: string;
  sessionKey: string;
  client: number;
  isNew: boolean;
}

const MAX_KNOWN = 100_000;
const DELETE_BATCH = 10_000;

/** The client in which each session was first seen. */
@Injectable()
export class SessionClientsRepository {
  private readonly known = boundedCache<number>(MAX_KNOWN);

  constructor(
    private readonly db: SystemDatabase,
    private readonly bulk: BulkDatabase,
  ) {}

  /** The client of each mention: the one it names, else the first one of its session, else null. Stores new sessions. */
  async upsertAll(orgId: string, mentions: SessionMention[], day: string): Promise<(number | null)[]> {
    const keys = mentions.map(keyOf);
    const unknown = mentions.filter((mention, i) => mention.sessionKey !== null && !this.known.has(keys[i] ?? ''));
    const stored = unknown.length === 0 ? [] : await this.upsertFirst(orgId, firstOfEach(unknown), day);
    const clients = new Map(stored.filter(({ isNew }) => !isNew).map((row) => [keyOf(row), row.client]));
    const resolved = mentions.map((mention, i) => {
      if (mention.sessionKey === null) return mention.client;
      const key = keys[i] ?? '';
      const first = this.known.get(key) ?? clients.get(key);
      if (first === undefined && mention.client !== null) clients.set(key, mention.client);
      return mention.client ?? first ?? null;
    });
    for (const row of stored) this.known.set(keyOf(row), row.client);
    return resolved;
  }

  insert(
    tx: SqlTransaction,
    session: { orgId: string; userId: string; sessionId: string; client: number; day: string },
  ): void {
    tx.enqueue(
      `INSERT INTO session_clients (org_id, user_id, session_id, client, seen_on) VALUES ($1, $2, $3, $4, $5)`,
      [session.orgId, session.userId, session.sessionId, session.client, session.day],
    );
  }

  private upsertFirst(orgId: string, mentions: SessionMention[], day: string): Promise<StoredClient[]> {
    return this.db.query(
      `WITH wanted AS (
         SELECT w.* FROM unnest($2::uuid[], $3::uuid[], $4::smallint[]) AS w (user_id, session_id, client)),
       added AS (
         INSERT INTO session_clients (org_id, user_id, session_id, client, seen_on)
         SELECT $1, w.user_id, w.session_id, w.client, $5::date FROM wanted w WHERE w.client IS NOT NULL
          ORDER BY w.user_id, w.session_id
         ON CONFLICT (org_id, user_id, session_id) DO NOTHING
         RETURNING user_id, session_id, client)
       SELECT a.user_id AS "userId", a.session_id AS "sessionKey", a.client, true AS "isNew" FROM added a
       UNION ALL
       SELECT c.user_id, c.session_id, c.client, false FROM wanted w
         JOIN session_clients c ON c.org_id = $1 AND c.user_id = w.user_id AND c.session_id = w.session_id`,
      [
        orgId,
        mentions.map(({ userId }) => userId),
        mentions.map(({ sessionKey }) => sessionKey),
        mentions.map(({ client }) => client),
        day,
      ],
    );
  }

  /** In batches. */
  async deleteSeenBefore(day: string): Promise<void> {
    for (let deleted = DELETE_BATCH; deleted === DELETE_BATCH;) {
      const rows = await this.bulk.upkeep(
        `DELETE FROM session_clients c WHERE c.ctid = ANY (ARRAY(
           SELECT o.ctid FROM session_clients o WHERE o.seen_on < $1::date LIMIT ${DELETE_BATCH})) RETURNING 1`,
        [day],
      );
      deleted = rows.length;
    }
  }
}

function keyOf({ userId, sessionKey }: { userId: string; sessionKey: string | null }): string {
  return userId + (sessionKey ?? '');
}

/** One mention of each session, with the first client that is named. */
function firstOfEach(mentions: SessionMention[]): SessionMention[] {
  const first = new Map<string, SessionMention>();
  for (const mention of mentions) {
    const key = keyOf(mention);
    const known = first.get(key);
    if (!known || (known.client === null && mention.client !== null)) first.set(key, mention);
  }
  return [...first.values()];
}
