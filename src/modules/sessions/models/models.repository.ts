import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '../../../database/org-database.js';
import { NAME_KIND } from '../../ingest/event-codes.js';

const MAX_MODELS = 1_000;

@Injectable()
export class ModelsRepository {
  constructor(private readonly db: OrgDatabase) {}

  /** The models of the organization's usage, by name. */
  async listUsed(orgId: string): Promise<string[]> {
    const rows = await this.db.read<{ name: string }>(
      orgId,
      `SELECT n.name FROM event_names n WHERE n.org_id = $1 AND n.kind = ${NAME_KIND.model}
        ORDER BY n.name COLLATE "C" LIMIT ${MAX_MODELS}`,
      [orgId],
    );
    return rows.map(({ name }) => name);
  }
}
