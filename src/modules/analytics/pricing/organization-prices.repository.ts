import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '../../../database/org-database.js';

interface OwnPrices {
  readonly revision: string;
  /** As they were sent. */
  readonly prices: object[];
}

/** Reads the prices that organizations have set. */
@Injectable()
export class OrganizationPricesRepository {
  constructor(private readonly db: OrgDatabase) {}

  async find(orgId: string): Promise<OwnPrices> {
    const [row] = await this.db.read<OwnPrices>(
      orgId,
      `SELECT p.revision::text, p.prices FROM organization_prices p WHERE p.org_id = $1`,
      [orgId],
      'organization-prices',
    );
    return row ?? { revision: '0', prices: [] };
  }
}
