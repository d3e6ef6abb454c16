import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../common/validation/predicates.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { SystemDatabase } from '../../../database/system-database.js';
import { OrganizationEntity } from './organization.entity.js';

const COLUMNS = `o.id, o.name, o.external_id AS "externalId", o.created_at AS "createdAt"`;

/** Every statement on organizations. They are looked up before a caller is known, so on the owner's side. */
@Injectable()
export class OrganizationsRepository {
  constructor(private readonly system: SystemDatabase) {}

  async findById(orgId: string): Promise<OrganizationEntity | null> {
    const [org] = await this.system.query<OrganizationEntity>(
      `SELECT ${COLUMNS} FROM organizations o WHERE o.id = $1`,
      [orgId],
    );
    return org ?? null;
  }

  /** By id or by the company's own id, as both may stand in an SSO token. */
  async findByIdOrExternalId(reference: string): Promise<OrganizationEntity | null> {
    const [org] = await this.system.query<OrganizationEntity>(
      `SELECT ${COLUMNS} FROM organizations o WHERE o.id = $1 OR o.external_id = $2 LIMIT 1`,
      [isUuid(reference) ? reference : null, reference],
    );
    return org ?? null;
  }

  async findByName(name: string): Promise<OrganizationEntity | null> {
    const [org] = await this.system.query<OrganizationEntity>(
      `SELECT ${COLUMNS} FROM organizations o WHERE o.name = $1`,
      [name],
    );
    return org ?? null;
  }

  /** At most `limit` organizations, oldest first. */
  list(limit: number): Promise<OrganizationEntity[]> {
    return this.system.query(`SELECT ${COLUMNS} FROM organizations o ORDER BY o.created_at, o.id LIMIT $1`, [limit]);
  }

  /**
   * Keeps others from adding organizations until the transaction ends. Names and external ids are unique by this rather
   * than by an index: a unique index across organizations could not be distributed.
   */
  async lockAdditions(tx: SqlTransaction): Promise<OrganizationEntity[]> {
    await tx.query('LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE');
    return tx.query(`SELECT ${COLUMNS} FROM organizations o`);
  }

  async insert(tx: SqlTransaction, organization: OrganizationEntity): Promise<void> {
    await tx.manager.insert(OrganizationEntity, organization);
  }
}
