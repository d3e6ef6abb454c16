import { Injectable } from '@nestjs/common';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { deleteOrganizationRows } from '../../../database/organization-rows.js';
import { SystemDatabase } from '../../../database/system-database.js';

@Injectable()
export class OrganizationRemovalService {
  constructor(
    private readonly bulk: BulkDatabase,
    private readonly system: SystemDatabase,
  ) {}

  /** In one transaction. Not to be called while days of the organization are computed. */
  async remove(orgId: string): Promise<void> {
    const users = await this.bulk.transaction('BEGIN', async (client) => {
      // Whoever writes for a user waits for this lock, and then finds no user.
      const locked = await client.query<{ id: string }>(`SELECT u.id FROM users u WHERE u.org_id = $1 FOR UPDATE`, [
        orgId,
      ]);
      // So does whoever writes counters of the organization.
      await client.query(`SELECT FROM organizations o WHERE o.id = $1 FOR UPDATE`, [orgId]);
      await deleteOrganizationRows(client, orgId);
      return locked.rows;
    });
    await this.system.transaction((tx) => {
      for (const { id: userId } of users) tx.notify('credentials_changed', { orgId, userId });
      return Promise.resolve();
    });
  }
}
