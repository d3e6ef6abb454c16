import type { PoolClient } from 'pg';
import { NAME_KIND } from '../../../ingest/event-codes.js';
import { INSERT_DAY_FACTS, INSERT_DAY_MODEL_FACTS, INSERT_NAME_FACTS } from './day-facts.sql.js';
import type { DayRules } from './fact-rules.js';
import { insertUserFacts, insertUserModelFacts } from './user-facts.sql.js';

const MAX_INTEGER = 2_147_483_647;

export interface NewFacts {
  readonly orgIds: string[];
  readonly version: string;
  /** The relation with the events of the day. */
  readonly source: string;
  readonly rules: DayRules;
}

/** Makes all facts of a day from its events, in the snapshot of the caller's transaction. */
export async function writeFacts(client: PoolClient, { orgIds, version, source, rules }: NewFacts): Promise<void> {
  const key = [`${rules.day}`, version, orgIds];
  const classes = await classColumns(client, orgIds, rules);
  const hasClasses = classes !== null;
  await client.query(insertUserModelFacts(source, hasClasses), [...key, ...(classes ?? [])]);
  for (const sql of [insertUserFacts(source), INSERT_DAY_MODEL_FACTS, INSERT_DAY_FACTS, INSERT_NAME_FACTS]) {
    await client.query(sql, key);
  }
}

/** The price classes of all models, by column; null when there are none. */
export async function classColumns(client: PoolClient, orgIds: string[], rules: DayRules): Promise<unknown[][] | null> {
  const { rows: models } = await client.query<{ orgId: string; id: number; name: string }>(
    `SELECT n.org_id AS "orgId", n.id, n.name FROM event_names n
      WHERE n.org_id = ANY ($1::uuid[]) AND n.kind = ${NAME_KIND.model} AND n.last_day >= $2::date`,
    [orgIds, `${rules.day}`],
  );
  const rows = models.flatMap(({ orgId, id, name }) =>
    rules
      .listOf(orgId)
      .classesOf(name, rules.day)
      .map(({ above, upTo, fromMinute, toMinute }) => {
        return [orgId, id, above, Math.min(upTo, MAX_INTEGER), fromMinute, toMinute];
      }),
  );
  return rows.length === 0 ? null : Array.from({ length: 6 }, (_, column) => rows.map((row) => row[column]));
}
