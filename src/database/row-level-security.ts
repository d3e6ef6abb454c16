import type { QueryRunner } from 'typeorm';
import { isCanonicalUuid } from '../common/validation/predicates.js';

/** Transaction-local setting with the organization whose rows a request may see. */
export const ORG_SETTING = 'app.org_id';

/**
 * Restricts every role but the owner to rows of the organization in `app.org_id`; without that setting, to none.
 * ENABLE, never FORCE: the owner migrates, runs system jobs and copies events in.
 */
export async function enableRowLevelSecurity(db: QueryRunner, table: string, orgColumn = 'org_id'): Promise<void> {
  await db.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
  await db.query(`
    CREATE POLICY own_organization ON ${table}
      USING (${orgColumn} = nullif(current_setting('${ORG_SETTING}', true), '')::uuid)
      WITH CHECK (${orgColumn} = nullif(current_setting('${ORG_SETTING}', true), '')::uuid)`);
}

/**
 * The statement that opens every request transaction. A literal, because `set_config()` is not propagated to the
 * workers of a Citus cluster; the check makes the literal safe.
 */
export function beginForOrg(orgId: string, mode: 'READ ONLY' | 'READ WRITE', timeLimits = ''): string {
  if (!isCanonicalUuid(orgId)) throw new Error('An organization id has to be a UUID in lower case');
  return `BEGIN ${mode}; SET LOCAL ${ORG_SETTING} = '${orgId}'${timeLimits && `; ${timeLimits}`}`;
}
