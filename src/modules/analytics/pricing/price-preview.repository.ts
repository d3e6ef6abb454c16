import { Injectable } from '@nestjs/common';
import type { TokenSums } from '../../../prices/cost.js';
import type { ClassKey } from '../../../prices/price-list.js';
import { AnalyticsLoad } from '../analytics-load.js';

/** Calls of one price class of a model. */
export interface UsedClass extends ClassKey {
  readonly modelId: number;
  readonly model: string;
  readonly firstDay: string;
  readonly lastDay: string;
}

/** What was used in a class in a part of a month; prices are the same on all its days. */
export interface UsedTokens extends ClassKey {
  /** YYYY-MM. */
  readonly month: string;
  readonly modelId: number;
  /** One of the days. */
  readonly day: string;
  /** null for days whose raw events were gone before calls were counted. */
  readonly calls: bigint | null;
  /** null when it is not known which tokens were cached. */
  readonly cached: Pick<TokenSums, 'cacheRead' | 'cacheWrite' | 'cacheWrite1h'> | null;
  readonly input: bigint;
  readonly output: bigint;
}

type Digits = Record<'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cacheWrite1h', string>;
type StoredTokens = Omit<UsedTokens, 'calls' | 'cached' | 'input' | 'output'> &
  Digits & { calls: string | null; isUnknown: boolean };

const CURRENT_FACTS = `analytics_days d
  JOIN day_model_facts m ON m.org_id = d.org_id AND m.day = d.day AND m.version = d.version`;

@Injectable()
export class PricePreviewRepository {
  constructor(private readonly load: AnalyticsLoad) {}

  listClasses(orgId: string): Promise<UsedClass[]> {
    return this.load.read(
      orgId,
      `SELECT c."modelId", n.name AS model, c.above, c.minute, c."firstDay", c."lastDay"
         FROM (SELECT m.org_id, m.model_id AS "modelId", m.above, m.minute, min(m.day)::text AS "firstDay",
                      max(m.day)::text AS "lastDay"
                 FROM ${CURRENT_FACTS} WHERE d.org_id = $1 GROUP BY m.org_id, m.model_id, m.above, m.minute) c
         JOIN event_names n ON n.org_id = c.org_id AND n.id = c."modelId"
        ORDER BY n.name, c."modelId", c.above, c.minute`,
      [orgId],
    );
  }

  /** `cuts`: days on which a price of one of the models changes, in order. */
  async sumTokens(orgId: string, modelIds: readonly number[], cuts: readonly string[]): Promise<UsedTokens[]> {
    const rows = await this.load.read<StoredTokens>(
      orgId,
      `SELECT to_char(m.day, 'YYYY-MM') AS month, m.model_id AS "modelId", m.above, m.minute, min(m.day)::text AS day,
              sum(m.calls)::text AS calls, m.cache_read IS NULL AS "isUnknown", sum(m.input)::text AS input,
              sum(m.output)::text AS output, coalesce(sum(m.cache_read), 0)::text AS "cacheRead",
              coalesce(sum(m.cache_write), 0)::text AS "cacheWrite",
              coalesce(sum(m.cache_write_1h), 0)::text AS "cacheWrite1h"
         FROM ${CURRENT_FACTS}
        WHERE d.org_id = $1 AND m.model_id = ANY ($2::int[])
        GROUP BY 1, m.model_id, m.above, m.minute, m.cache_read IS NULL, width_bucket(m.day, $3::date[])
        ORDER BY 1, m.model_id, m.above, m.minute, min(m.day)`,
      [orgId, modelIds, cuts],
    );
    return rows.map(toUsedTokens);
  }
}

function toUsedTokens(row: StoredTokens): UsedTokens {
  const { month, modelId, above, minute, day, calls, isUnknown } = row;
  const cached = {
    cacheRead: BigInt(row.cacheRead),
    cacheWrite: BigInt(row.cacheWrite),
    cacheWrite1h: BigInt(row.cacheWrite1h),
  };
  return {
    ...{ month, modelId, above, minute, day },
    calls: calls === null ? null : BigInt(calls),
    cached: isUnknown ? null : cached,
    input: BigInt(row.input),
    output: BigInt(row.output),
  };
}
