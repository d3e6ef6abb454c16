import { isObject } from '../common/validation/predicates.js';
import { scaled } from './decimal.js';
import { keyOf } from './model-names.js';
import {
  type Alias,
  type LayerName,
  type Period,
  type Price,
  type PricedModel,
  type PriceLayer,
  RATE_NAMES,
  type Rates,
  type Tier,
} from './price-layer.js';
import { PriceProblems } from './price-problems.js';
import { readDecimal, readFactor, readLimit, readPeriod, readWindows } from './price-values.js';

const FILE_FIELDS = ['format', 'made', 'currency', 'about', 'sources', 'unpriced', 'models'];
const MODEL_FIELDS = ['id', 'provider', 'aliases', 'sources', 'note', 'disagreements', 'prices'];
const PRICE_FIELDS = ['since', 'until', ...RATE_NAMES, 'tiers', 'windows', 'promotional'];
const FILE_PRICE_FIELDS = [...PRICE_FIELDS, 'withdrawn', 'basis', 'note'];
const TIER_FIELDS = ['above', 'from', ...RATE_NAMES, 'multipliers'];
const MAX_TIERS = 20;

/** A price file, such as prices.json beside this one; throws an InvalidPricesError that names every wrong place. */
export function readPriceFile(value: unknown, name: LayerName): PriceLayer {
  const problems = new PriceProblems();
  const file = problems.object(value, 'the file', FILE_FIELDS);
  if (file.format !== 1) problems.add('format', 'must be 1');
  if (file.currency !== 'USD') problems.add('currency', 'must be "USD"');
  const models = problems.list(file.models, 'models').map((model, index) => readModel(model, index, problems));
  const unpriced = problems.optionalList(file.unpriced, 'unpriced').map((item, index) => {
    const place = `unpriced.${index}`;
    return problems.text(problems.object(item, place, ['id', 'why']).id, `${place}.id`);
  });
  rejectSameNames(models, problems);
  problems.throwIfAny();
  return { name, models, factors: [], unpriced };
}

/** Rows as an organization writes them: prices of a model, or a factor for a provider or a channel. */
export function readOrganizationPrices(rows: readonly unknown[]): PriceLayer {
  const problems = new PriceProblems();
  const models = new Map<string, { id: string; provider: string | null; prices: Price[] }>();
  const factors: PriceLayer['factors'][number][] = [];
  for (const [index, value] of rows.entries()) {
    const place = `prices.${index}`;
    const isFactor = isObject(value) && value.factor !== undefined;
    const row = problems.object(
      value,
      place,
      isFactor ? ['provider', 'factor', 'since', 'until'] : ['model', 'provider', ...PRICE_FIELDS],
    );
    if (typeof row.since !== 'string')
      problems.add(`${place}.since`, 'is missing; it must be a day written YYYY-MM-DD');
    if (isFactor) {
      const provider = keyOf(problems.text(row.provider, `${place}.provider`));
      const factor = {
        ...readPeriod(row, place, problems),
        provider,
        factor: readFactor(row.factor, `${place}.factor`, problems),
      };
      rejectOverlap(
        factors.filter((other) => other.provider === provider),
        factor,
        place,
        problems,
      );
      factors.push(factor);
    } else {
      const id = problems.text(row.model, `${place}.model`);
      const provider = row.provider === undefined ? null : keyOf(problems.text(row.provider, `${place}.provider`));
      const model = models.get(keyOf(id)) ?? { id, provider, prices: [] };
      const price = readPrice(row, place, problems);
      rejectOverlap(model.prices, price, place, problems);
      model.prices.push(price);
      models.set(keyOf(id), { ...model, provider: model.provider ?? provider });
    }
  }
  problems.throwIfAny();
  return {
    name: 'organization',
    models: [...models.values()].map((model) => ({ ...model, aliases: [] })),
    factors,
    unpriced: [],
  };
}

function readModel(value: unknown, index: number, problems: PriceProblems): PricedModel {
  const model = problems.object(value, `models.${index}`, MODEL_FIELDS);
  const id = problems.text(model.id, `models.${index}.id`);
  const place = `models.${index} (${id})`;
  const provider = keyOf(problems.text(model.provider, `${place}.provider`));
  const aliases = problems
    .optionalList(model.aliases, `${place}.aliases`)
    .map((alias, index) => readAlias(alias, `${place}.aliases.${index}`, problems));
  const prices: Price[] = [];
  for (const [index, item] of problems.list(model.prices, `${place}.prices`).entries()) {
    const at = `${place}.prices.${index}`;
    const row = problems.object(item, at, FILE_PRICE_FIELDS);
    const price = readPrice(row, at, problems);
    if (row.withdrawn === true) continue; // announced, but never charged
    rejectOverlap(prices, price, at, problems);
    prices.push(price);
  }
  return { id, provider, aliases, prices };
}

function readAlias(value: unknown, place: string, problems: PriceProblems): Alias {
  if (typeof value === 'string') return { id: problems.text(value, place), since: -Infinity, until: Infinity };
  const alias = problems.object(value, place, ['id', 'since', 'until']);
  return { id: problems.text(alias.id, `${place}.id`), ...readPeriod(alias, place, problems) };
}

function readPrice(row: Record<string, unknown>, place: string, problems: PriceProblems): Price {
  const rates = readRates(row, place, problems);
  if (Object.values(rates).every((rate) => rate === null))
    problems.add(place, `must have a price: ${RATE_NAMES.join(', ')}`);
  return {
    ...readPeriod(row, place, problems),
    rates,
    tiers: readTiers(row.tiers, rates, `${place}.tiers`, problems),
    windows: readWindows(row.windows, `${place}.windows`, problems),
    isPromotional: row.promotional === true,
  };
}

function readRates(row: Record<string, unknown>, place: string, problems: PriceProblems): Rates {
  return ratesBy((name) => readDecimal(row[name], `${place}.${name}`, problems));
}

/** A tier says only what differs from the price it belongs to. */
function readTiers(value: unknown, base: Rates, place: string, problems: PriceProblems): Tier[] {
  const items = problems.optionalList(value, place);
  if (items.length > MAX_TIERS) problems.add(place, `must have at most ${MAX_TIERS} tiers`);
  const tiers = items.slice(0, MAX_TIERS).map((item, index) => {
    const at = `${place}.${index}`;
    const tier = problems.object(item, at, TIER_FIELDS);
    const own = readRates(tier, at, problems);
    const multipliers =
      tier.multipliers === undefined ? {} : problems.object(tier.multipliers, `${at}.multipliers`, RATE_NAMES);
    const factors = readRates(multipliers, `${at}.multipliers`, problems);
    const rates = ratesBy((name) => own[name] ?? multiplied(base[name], factors[name]));
    return { above: readLimit(tier, at, problems), rates };
  });
  if (tiers.some((tier, index) => index > 0 && tier.above <= (tiers[index - 1]?.above ?? 0))) {
    problems.add(place, 'must be in rising order of their limits');
  }
  return tiers;
}

export function multiplied(rate: bigint | null, factor: bigint | null): bigint | null {
  return rate === null || factor === null ? rate : scaled(rate, [factor]);
}

export function ratesBy(rateOf: (name: (typeof RATE_NAMES)[number]) => bigint | null): Rates {
  return {
    input: rateOf('input'),
    output: rateOf('output'),
    cacheRead: rateOf('cacheRead'),
    cacheWrite: rateOf('cacheWrite'),
    cacheWrite1h: rateOf('cacheWrite1h'),
  };
}

function rejectOverlap(others: readonly Period[], period: Period, place: string, problems: PriceProblems): void {
  if (others.some((other) => other.since < period.until && period.since < other.until)) {
    problems.add(place, 'overlaps another one of the same name in time; give until to the earlier one');
  }
}

function rejectSameNames(models: readonly PricedModel[], problems: PriceProblems): void {
  const taken = new Map<string, Period[]>();
  for (const [index, model] of models.entries()) {
    for (const name of [{ id: model.id, since: -Infinity, until: Infinity }, ...model.aliases]) {
      const others = taken.get(keyOf(name.id)) ?? [];
      if (others.some((other) => other.since < name.until && name.since < other.until)) {
        problems.add(
          `models.${index} (${model.id})`,
          `has the name "${name.id}", which another id or alias has at the same time`,
        );
      }
      taken.set(keyOf(name.id), [...others, name]);
    }
  }
}
