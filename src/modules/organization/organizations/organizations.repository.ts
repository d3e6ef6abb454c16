import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../common/validation/predicates.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { SystemDatabase } from '../../../database/system-database.js';
import { OrganizationEntity } from './organization.entity.js';

const COLUMNS = `o.id, o.name, o.external_id AS "externalId", o.is_demo AS "isDemo", o.created_at AS "createdAt"`;

/** Every statement on organizations. As the database owner: look-ups come before the caller is known. */
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

  async findByIdOrExternalId(reference: string): Promise<OrganizationEntity | null> {
    const [org] = await this.system.query<OrganizationEntity>(
      `SELECT ${COLUMNS} FROM organizations o WHERE o.id = $1 OR o.external_id = $2 LIMIT 1`,
      [isUuid(reference) ? reference : null, reference],
    );
    return org ?? null;
  }

  /** The first organization of an installation may take the name of a demo that was there before. */
  async findByName(name: string): Promise<OrganizationEntity | null> {
    const [org] = await this.system.query<OrganizationEntity>(
      `SELECT ${COLUMNS} FROM organizations o WHERE o.name = $1 ORDER BY o.is_demo LIMIT 1`,
      [name],
    );
    return org ?? null;
  }

  /** Without the demo. */
  list(limit: number): Promise<OrganizationEntity[]> {
    return this.system.query(
      `SELECT ${COLUMNS} FROM organizations o WHERE NOT o.is_demo ORDER BY o.created_at, o.id LIMIT $1`,
      [limit],
    );
  }

  async findDemo(): Promise<OrganizationEntity | null> {
    const [org] = await this.system.query<OrganizationEntity>(
      `SELECT ${COLUMNS} FROM organizations o WHERE o.is_demo ORDER BY o.created_at, o.id LIMIT 1`,
    );
    return org ?? null;
  }

  /**
   * Serializes the adding of organizations. This keeps names and external ids unique, because a unique index across
   * organizations could not be distributed.
   */
  async lockAdditions(tx: SqlTransaction): Promise<OrganizationEntity[]> {
    await tx.query('LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE');
    return tx.query(`SELECT ${COLUMNS} FROM organizations o`);
  }

  async insert(tx: SqlTransaction, organization: OrganizationEntity): Promise<void> {
    await tx.manager.insert(OrganizationEntity, organization);
  }
}
