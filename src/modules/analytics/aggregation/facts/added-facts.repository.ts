import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { UtcDay } from '../../../../common/time/utc-day.js';
import { BulkDatabase } from '../../../../database/bulk-database.js';
import { BEGIN_COMPUTATION, ONLY_HASHES, sourceOf } from '../day-events.js';
import { FactRules } from './fact-rules.js';
import { FROZEN_RULES } from './figures.js';
import { writeFrozenFacts } from './frozen-facts.js';
import { HAS_NO_FACTS } from './missing-facts.repository.js';
import { writeFacts } from './write-facts.js';

const FACT_TABLES = ['user_facts', 'user_model_facts', 'day_facts', 'day_model_facts', 'name_facts'];

interface StoredVersion {
  readonly version: string;
  readonly orgIds: string[];
}

/** Adds facts to versions that an earlier release has computed. What is served from these versions stays as it is. */
@Injectable()
export class AddedFactsRepository {
  constructor(
    private readonly bulk: BulkDatabase,
    private readonly factRules: FactRules,
  ) {}

  /** Skips a day with late events, as it gets facts with its next version. Returns how many organizations got facts. */
  async add(orgIds: string[], day: UtcDay, signal: AbortSignal): Promise<number> {
    const rules = await this.factRules.of(orgIds, day);
    const work = async (client: PoolClient) => {
      const source = await sourceOf(client, day);
      const versions = await listVersions(client, orgIds, day);
      await client.query(ONLY_HASHES);
      for (const { version, orgIds: group } of versions) {
        await deleteFacts(client, group, day, version);
        if (source !== null) await writeFacts(client, { orgIds: group, version, source, rules });
        else for (const orgId of group) await writeFrozenFacts(client, { orgId, day: `${day}`, version });
        const texts = group.map((orgId) => (source === null ? FROZEN_RULES : rules.textOf(orgId, version)));
        await recordRules(client, group, day, texts);
      }
      return versions.reduce((sum, version) => sum + version.orgIds.length, 0);
    };
    return this.bulk.transaction(BEGIN_COMPUTATION, work, signal);
  }
}

async function listVersions(client: PoolClient, orgIds: string[], day: UtcDay): Promise<StoredVersion[]> {
  const { rows } = await client.query<StoredVersion>(
    `SELECT d.version, array_agg(d.org_id::text ORDER BY d.org_id) AS "orgIds" FROM analytics_days d
      WHERE d.org_id = ANY ($1::uuid[]) AND d.day = $2 AND ${HAS_NO_FACTS}
        AND NOT EXISTS (SELECT FROM dirty_days m WHERE m.org_id = d.org_id AND m.day = d.day)
      GROUP BY d.version`,
    [orgIds, `${day}`],
  );
  return rows;
}

async function deleteFacts(client: PoolClient, orgIds: string[], day: UtcDay, version: string): Promise<void> {
  for (const table of FACT_TABLES) {
    await client.query(`DELETE FROM ${table} f WHERE f.org_id = ANY ($1::uuid[]) AND f.day = $2 AND f.version = $3`, [
      orgIds,
      `${day}`,
      version,
    ]);
  }
}

async function recordRules(client: PoolClient, orgIds: string[], day: UtcDay, rules: string[]): Promise<void> {
  await client.query(
    `UPDATE analytics_days d SET fact_rules = o.rules FROM unnest($1::uuid[], $3::text[]) AS o (org_id, rules)
      WHERE d.org_id = o.org_id AND d.day = $2`,
    [orgIds, `${day}`, rules],
  );
}
