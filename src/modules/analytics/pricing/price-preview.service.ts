import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { readRequestedPrices } from '../../../prices/requested-prices.js';
import { PriceLists } from './price-lists.js';
import { ModelChange, type PreviewRow, previewRows } from './price-preview.js';
import { PricePreviewRepository, type UsedClass } from './price-preview.repository.js';

/** What other prices would change, for everything that was used so far. */
@Injectable()
export class PricePreviewService {
  constructor(
    private readonly lists: PriceLists,
    private readonly facts: PricePreviewRepository,
  ) {}

  async preview({ orgId }: Principal, prices: readonly object[]): Promise<PreviewRow[]> {
    readRequestedPrices(prices);
    const lists = { before: await this.lists.of(orgId), after: this.lists.listWith(prices) };
    const changes = new Map<number, ModelChange>();
    for (const [modelId, classes] of byModel(await this.facts.listClasses(orgId))) {
      changes.set(modelId, new ModelChange(classes[0]?.model ?? '', classes, lists));
    }
    const cuts = [...new Set([...changes.values()].flatMap((change) => change.cuts))].sort();
    return previewRows(changes, await this.facts.sumTokens(orgId, [...changes.keys()], cuts));
  }
}

function byModel(classes: readonly UsedClass[]): Map<number, UsedClass[]> {
  const models = new Map<number, UsedClass[]>();
  for (const each of classes) {
    const known = models.get(each.modelId);
    if (known) known.push(each);
    else models.set(each.modelId, [each]);
  }
  return models;
}
