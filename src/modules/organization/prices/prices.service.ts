import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { canonicalJson } from '../../../common/canonical-json.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { AppConfig } from '../../../config/app-config.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { readOrganizationPrices } from '../../../prices/price-reader.js';
import { type PriceRow, toPriceRow } from '../../../prices/price-rows.js';
import { readRequestedPrices } from '../../../prices/requested-prices.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { PricesRepository, type StoredPrices } from './prices.repository.js';

export interface OrganizationPrices {
  own: StoredPrices | null;
  /** The price of each model now. */
  inEffect: PriceRow[];
}

/** The prices with which an organization overrides those of the product and the operator. */
@Injectable()
export class PricesService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly prices: PricesRepository,
    private readonly auditLog: AuditLogService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  async get(caller: Principal): Promise<OrganizationPrices> {
    return this.withEffect(await this.prices.find(caller.orgId));
  }

  /** Stores the next revision, or nothing when the prices are the same. Concurrent changes are serialized. */
  async replace(caller: Principal, rows: object[], expectedRevision: number | null): Promise<OrganizationPrices> {
    readRequestedPrices(rows);
    const { orgId } = caller;
    const stored = await this.db.transaction(orgId, async (tx) => {
      await this.prices.lock(tx, orgId);
      const previous = await this.prices.findIn(tx, orgId);
      const current = previous?.revision ?? 0;
      if (expectedRevision !== null && expectedRevision !== current) {
        throw new DomainError('precondition_failed', `The prices have changed; the current revision is ${current}.`);
      }
      if (previous && canonicalJson(previous.prices) === canonicalJson(rows)) return previous;
      const next = { revision: current + 1, prices: rows, updatedAt: this.clock.now() };
      await this.prices.upsert(tx, orgId, next);
      this.auditLog.record(tx, orgId, caller, {
        action: 'organization_prices.changed',
        target: String(next.revision),
        before: { prices: previous?.prices ?? [] },
        after: { prices: rows },
      });
      tx.notify('prices_changed', { orgId });
      return next;
    });
    return this.withEffect(stored);
  }

  private withEffect(own: StoredPrices | null): OrganizationPrices {
    const { priceList } = this.config.analytics;
    const list = own ? priceList.with(readOrganizationPrices(own.prices)) : priceList;
    const now = this.clock.now();
    const applied = list.modelIds().map((id) => list.appliedAt(id, now));
    return { own, inEffect: applied.filter((price) => price !== null).map(toPriceRow) };
  }
}
