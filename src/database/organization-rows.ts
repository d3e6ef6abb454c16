import type { PoolClient } from 'pg';
import { REQUEST_ROLE_GRANTS } from './request-role.js';
import { TABLE_OWNERS } from './table-owners.js';

/** Parents come first in TABLE_OWNERS, so that rows which refer to others are deleted before them. */
const TENANT_TABLES = Object.keys(TABLE_OWNERS)
  .filter((table) => table in REQUEST_ROLE_GRANTS)
  .reverse();

/** Deletes every row of an organization, whoever owns the table: the one exception to TABLE_OWNERS. */
export async function deleteOrganizationRows(client: PoolClient, orgId: string): Promise<void> {
  for (const table of TENANT_TABLES) {
    const column = table === 'organizations' ? 'id' : 'org_id';
    await client.query(`DELETE FROM ${table} WHERE ${column} = $1`, [orgId]);
  }
}
