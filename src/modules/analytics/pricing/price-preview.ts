import { UtcDay } from '../../../common/time/utc-day.js';
import { type Cost, costOf } from '../../../prices/cost.js';
import type { PriceList, RateSpan, Rates } from '../../../prices/price-list.js';
import type { UsedClass, UsedTokens } from './price-preview.repository.js';

/** What other prices would change for a model in a month. */
export interface PreviewRow {
  readonly month: string;
  readonly model: string;
  calls: bigint | null;
  tokens: bigint;
  before: Cost;
  after: Cost;
  /** Tiers or times change, so that the amounts are final only when the days have been computed anew. */
  isApproximate: boolean;
}

/** The prices of the used classes of a model, before and after a change. */
export class ModelChange {
  private readonly before: readonly RateSpan[];
  private readonly after: readonly RateSpan[];

  /** `classes`: all of one model. */
  constructor(
    readonly model: string,
    classes: readonly UsedClass[],
    private readonly lists: { readonly before: PriceList; readonly after: PriceList },
  ) {
    const [first = '', last = ''] = [minimum(classes.map((c) => c.firstDay)), maximum(classes.map((c) => c.lastDay))];
    const spansOf = (list: PriceList) => list.spansOf(model, dayOf(first), dayOf(last), classes);
    this.before = spansOf(lists.before);
    this.after = spansOf(lists.after);
  }

  /** Days on which a price changes, in either list. */
  get cuts(): string[] {
    return [...this.before, ...this.after].flatMap(({ since, until }) => [since, until]);
  }

  /** Adds what was used to the row of its month. */
  add(row: PreviewRow, used: UsedTokens): void {
    row.calls = row.calls === null || used.calls === null ? null : row.calls + used.calls;
    row.tokens += used.input + used.output;
    row.before = plus(row.before, costOn(this.before, used));
    row.after = plus(row.after, costOn(this.after, used));
    row.isApproximate ||= this.hasOtherClasses(dayOf(used.day));
  }

  private hasOtherClasses(day: UtcDay): boolean {
    const { before, after } = this.lists;
    return JSON.stringify(before.classesOf(this.model, day)) !== JSON.stringify(after.classesOf(this.model, day));
  }
}

/** Rows in which something changes or has no price, by month and model. */
export function previewRows(changes: ReadonlyMap<number, ModelChange>, used: readonly UsedTokens[]): PreviewRow[] {
  const rows = new Map<string, PreviewRow>();
  for (const tokens of used) {
    const change = changes.get(tokens.modelId);
    if (!change) continue;
    const key = `${tokens.month} ${tokens.modelId}`;
    const row = rows.get(key) ?? emptyRow(tokens.month, change.model);
    change.add(row, tokens);
    rows.set(key, row);
  }
  return [...rows.values()]
    .filter(({ before, after, isApproximate }) => isApproximate || after.unpricedTokens > 0n || !isSame(before, after))
    .sort((a, b) => compare(a.month, b.month) || compare(a.model, b.model));
}

function emptyRow(month: string, model: string): PreviewRow {
  const nothing = { picoDollars: 0n, unpricedTokens: 0n };
  return { month, model, calls: 0n, tokens: 0n, before: nothing, after: nothing, isApproximate: false };
}

function costOn(spans: readonly RateSpan[], { day, above, minute, cached, input, output }: UsedTokens): Cost {
  // Without knowing what was cached, no token has a price.
  if (cached === null) return { picoDollars: 0n, unpricedTokens: input + output };
  const span = spans.find(
    (each) => each.above === above && each.minute === minute && each.since <= day && day < each.until,
  );
  const rates: Rates | null = span?.rates ?? null;
  return costOf({ input, output, ...cached }, rates);
}

function plus(a: Cost, b: Cost): Cost {
  return { picoDollars: a.picoDollars + b.picoDollars, unpricedTokens: a.unpricedTokens + b.unpricedTokens };
}

function isSame(a: Cost, b: Cost): boolean {
  return a.picoDollars === b.picoDollars && a.unpricedTokens === b.unpricedTokens;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const minimum = (days: readonly string[]) => days.toSorted(compare)[0];
const maximum = (days: readonly string[]) => days.toSorted(compare).at(-1);

function dayOf(text: string): UtcDay {
  return UtcDay.of(new Date(text));
}
