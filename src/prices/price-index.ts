import { type ModelName, keyOf, parseModelName } from './model-names.js';
import type { Alias, LayerName, Period, Price, PricedModel, PriceLayer } from './price-layer.js';

/** What calls of a name cost for a time. */
export interface AppliedPrice extends Period {
  readonly modelId: string;
  readonly provider: string | null;
  readonly layer: LayerName;
  readonly price: Price;
  /** Of the provider or channel, in millionths; null: none. */
  readonly factor: bigint | null;
}

interface KnownModel {
  readonly model: PricedModel;
  readonly layer: LayerName;
}

interface Target extends Alias {
  readonly modelId: string;
}

/** Finds the price of a name at a time, in all layers. */
export class PriceIndex {
  /** Of the highest layer first. */
  private readonly models = new Map<string, KnownModel[]>();
  private readonly aliases = new Map<string, Target[]>();
  private readonly unpriced: ReadonlySet<string>;
  private readonly factors: PriceLayer['factors'];

  /** `layers`: the lowest first. */
  constructor(layers: readonly PriceLayer[]) {
    for (const layer of layers.toReversed()) {
      for (const model of layer.models) {
        push(this.models, keyOf(model.id), { model, layer: layer.name });
        for (const alias of model.aliases) push(this.aliases, keyOf(alias.id), { ...alias, modelId: keyOf(model.id) });
      }
    }
    this.unpriced = new Set(layers.flatMap(({ unpriced }) => unpriced.map(keyOf)));
    this.factors = layers.flatMap(({ factors }) => factors);
  }

  /** Every id and alias. */
  names(): string[] {
    return [...new Set([...this.models.keys(), ...this.aliases.keys()])].sort();
  }

  modelIds(): string[] {
    return [...this.models.values()].flatMap(([known]) => (known ? [known.model.id] : []));
  }

  channelFactors(): PriceLayer['factors'] {
    return this.factors;
  }

  /** The prices of a name over all time, in order; times without one are left out. */
  timelineOf(text: string): AppliedPrice[] {
    const name = parseModelName(text);
    const keys = this.keysOf(text, name);
    const cuts = this.cutsOf(keys);
    const timeline: AppliedPrice[] = [];
    for (const [index, since] of cuts.entries()) {
      const until = cuts[index + 1] ?? Infinity;
      const found = this.find(keys, name, since);
      const last = timeline.at(-1);
      if (found === null) continue;
      if (last?.until === since && last.price === found.price && last.factor === found.factor) {
        timeline[timeline.length - 1] = { ...last, until };
      } else timeline.push({ ...found, since, until });
    }
    return timeline;
  }

  private keysOf(text: string, name: ModelName): string[] {
    const keys = [keyOf(text)];
    for (const candidate of name.candidates) {
      if (this.unpriced.has(keys.at(-1) ?? '')) break;
      if (!keys.includes(candidate)) keys.push(candidate);
    }
    return keys;
  }

  private find(keys: readonly string[], name: ModelName, at: number): Omit<AppliedPrice, keyof Period> | null {
    for (const [index, key] of keys.entries()) {
      const alias = this.aliases.get(key)?.find((target) => isWithin(target, at))?.modelId;
      for (const modelId of alias === undefined ? [key] : [key, alias]) {
        // The first key is the name as it was written, which stands for itself.
        const found = this.priceOf(modelId, index === 0 ? null : name, at);
        if (found !== null) return found;
      }
    }
    return null;
  }

  private priceOf(modelId: string, name: ModelName | null, at: number): Omit<AppliedPrice, keyof Period> | null {
    const known = this.models.get(modelId) ?? [];
    const provider = known.map(({ model }) => model.provider).find((text) => text !== null) ?? null;
    if (name?.provider && name.provider !== provider) return null;
    const channel = name?.channel ?? null;
    for (const { model, layer } of known) {
      const price = model.prices.find((period) => isWithin(period, at));
      if (!price) continue;
      if (layer === 'organization') {
        if (channel !== null) continue; // agreed with the provider, not with who serves the call
        return { modelId: model.id, provider, layer, price, factor: null };
      }
      const factor = this.factors.find((row) => row.provider === (channel ?? provider) && isWithin(row, at))?.factor;
      if (channel !== null && factor === undefined) return null;
      return { modelId: model.id, provider, layer, price, factor: factor ?? null };
    }
    return null;
  }

  /** All times at which the answer may change. */
  private cutsOf(keys: readonly string[]): number[] {
    const targets = keys.flatMap((key) => this.aliases.get(key) ?? []);
    const ids = [...keys, ...targets.map(({ modelId }) => modelId)];
    const prices = ids.flatMap((id) => this.models.get(id) ?? []).flatMap(({ model }) => model.prices);
    if (prices.length === 0) return [];
    const ends = [...targets, ...prices, ...this.factors].flatMap(({ since, until }) => [since, until]);
    return [...new Set([-Infinity, ...ends])].filter((cut) => cut !== Infinity).sort((a, b) => a - b);
  }
}

function isWithin({ since, until }: Period, at: number): boolean {
  return since <= at && at < until;
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
