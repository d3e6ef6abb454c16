import type { TestApp } from './test-app.js';
import { query } from './test-database.js';

export interface ModelFacts {
  readonly model: string;
  readonly day: string;
  readonly above?: number;
  readonly calls?: number | null;
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | null;
  readonly version?: number;
}

const MODEL_KIND = 1;

/** Stores facts as a computed day has them. */
export async function givenModelFacts(app: TestApp, orgId: string, facts: ModelFacts[], at: Date): Promise<void> {
  for (const { model, day, above = 0, calls = 1, input, output, cacheRead = 0, version = 1 } of facts) {
    await query(
      app.database.url,
      `INSERT INTO event_names (org_id, kind, name, folded, name_hash) VALUES ($1, $2, $3::text, $3, convert_to($3, 'UTF8'))
       ON CONFLICT DO NOTHING`,
      [orgId, MODEL_KIND, model],
    );
    await query(
      app.database.url,
      `INSERT INTO analytics_days (org_id, day, version, activity_version, computed_at) VALUES ($1, $2, 1, 1, $3)
       ON CONFLICT DO NOTHING`,
      [orgId, day, at],
    );
    await query(
      app.database.url,
      `INSERT INTO day_model_facts (org_id, day, version, model_id, client, above, minute, tier, input, output, billable,
                                    calls, cache_read, cache_write, cache_write_1h)
       SELECT $1, $2, $3, n.id, 1, $4, 0, 0, $5, $6, 0, $7, $8::bigint, $8::bigint * 0, NULL
         FROM event_names n WHERE n.org_id = $1 AND n.name = $9`,
      [orgId, day, version, above, input, output, calls, cacheRead, model],
    );
  }
}
