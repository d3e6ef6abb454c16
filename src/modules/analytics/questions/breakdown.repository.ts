import { Injectable } from '@nestjs/common';
import { AnalyticsLoad } from '../analytics-load.js';
import { type Amount, amountOf, costAmount, type Series } from './amounts.js';
import { page, type PageOptions, peoplePage, peopleSeries, series, totals, values } from './breakdown.sql.js';
import type { PinnedDays } from './fact-rows.sql.js';
import type { Slice } from './metrics.js';
import { ofOrganization } from './questions.repository.js';
import type { RateTable } from './rate-table.js';

export interface KeyedAmount {
  readonly key: string;
  readonly amount: Amount;
}

export interface KeyedSeries extends KeyedAmount {
  readonly series: Series;
}

/** Everything that a list is made of. */
export interface SlicedDays {
  readonly slice: Slice;
  readonly days: PinnedDays;
  readonly rates: RateTable | null;
}

export interface PeopleCounts {
  readonly rows: KeyedAmount[];
  readonly total: bigint;
  /** Of all rows that are not named. */
  readonly other: bigint;
}

export interface PeopleByDay {
  readonly named: ReadonlyMap<string, Series>;
  readonly other: Series;
  readonly total: Series;
}

/** `priced` and `unpriced`: of a cost. */
interface Sums {
  readonly value: string | null;
  readonly priced?: string;
  readonly unpriced?: string;
}

type Cell = Sums & { readonly key: string };
type DayCell = Cell & { readonly day: string; readonly valueOfDay: string | null } & Partial<
    Record<'pricedOfDay' | 'unpricedOfDay', string>
  >;

@Injectable()
export class BreakdownRepository {
  constructor(private readonly load: AnalyticsLoad) {}

  async listPage(orgId: string, of: SlicedDays, wanted: PageOptions): Promise<KeyedAmount[]> {
    const p = ofOrganization(orgId);
    const rows = await this.load.read<Cell>(orgId, page(p, { ...of, ...wanted, byDay: false }), p.values);
    return rows.map((row) => ({ key: row.key, amount: toAmount(row) }));
  }

  /** For dimensions with few rows: one pass gives values and series. */
  async listPageWithSeries(orgId: string, of: SlicedDays, wanted: PageOptions): Promise<KeyedSeries[]> {
    const p = ofOrganization(orgId);
    const sql = page(p, { ...of, ...wanted, byDay: true });
    const rows = await this.load.read<DayCell>(orgId, sql, p.values);
    const found = new Map<string, KeyedSeries & { series: Map<string, Amount> }>();
    for (const row of rows) {
      const keyed = found.get(row.key) ?? { key: row.key, amount: toAmount(row), series: new Map<string, Amount>() };
      found.set(row.key, keyed);
      const ofDay = { value: row.valueOfDay, priced: row.pricedOfDay, unpriced: row.unpricedOfDay };
      keyed.series.set(row.day, toAmount(ofDay));
    }
    return [...found.values()];
  }

  async listSeriesOfUsers(orgId: string, of: SlicedDays, userIds: string[]): Promise<Map<string, Series>> {
    const p = ofOrganization(orgId);
    const rows = await this.load.read<Cell & { day: string }>(orgId, series(p, { ...of, userIds }), p.values);
    return seriesByKey(rows);
  }

  /** Of the rows with these keys. */
  async listValues(orgId: string, of: SlicedDays, keys: string[]): Promise<Map<string, Amount>> {
    const p = ofOrganization(orgId);
    const userIds = of.slice.dimension === 'user' ? keys : undefined;
    const rows = await this.load.read<Cell>(orgId, values(p, { ...of, userIds }, keys), p.values);
    return new Map(rows.map((row) => [row.key, toAmount(row)]));
  }

  /** Of all rows together. */
  async listTotals(orgId: string, of: SlicedDays): Promise<Series> {
    const p = ofOrganization(orgId);
    const rows = await this.load.read<Sums & { day: string }>(orgId, totals(p, of), p.values);
    return new Map(rows.map((row) => [row.day, toAmount(row)]));
  }

  async countPeople(
    orgId: string,
    of: SlicedDays,
    wanted: { page: PageOptions } | { keys: string[] },
  ): Promise<PeopleCounts> {
    const p = ofOrganization(orgId);
    const rows = await this.load.read<{ total: string; other: string; key: string | null; value: string }>(
      orgId,
      peoplePage(p, { ...of, ...wanted }),
      p.values,
    );
    const [first] = rows;
    return {
      rows: rows.flatMap(({ key, value }) => (key === null ? [] : [{ key, amount: amountOf(BigInt(value)) }])),
      total: BigInt(first?.total ?? 0),
      other: BigInt(first?.other ?? 0),
    };
  }

  async listPeopleByDay(orgId: string, of: SlicedDays, keys: string[]): Promise<PeopleByDay> {
    const p = ofOrganization(orgId);
    const rows = await this.load.read<{ key: string | null; day: string; value: string; isTotal: boolean }>(
      orgId,
      peopleSeries(p, { ...of, keys }),
      p.values,
    );
    const seriesOf = (isWanted: (row: (typeof rows)[number]) => boolean) =>
      new Map(rows.filter(isWanted).map((row) => [row.day, toAmount(row)]));
    return {
      named: seriesByKey(rows.flatMap((row) => (row.key === null ? [] : [{ ...row, key: row.key }]))),
      other: seriesOf(({ key, isTotal }) => key === null && !isTotal),
      total: seriesOf(({ isTotal }) => isTotal),
    };
  }
}

function seriesByKey(rows: (Cell & { day: string })[]): Map<string, Series> {
  const found = new Map<string, Map<string, Amount>>();
  for (const row of rows) {
    const ofKey = found.get(row.key) ?? new Map<string, Amount>();
    found.set(row.key, ofKey.set(row.day, toAmount(row)));
  }
  return found;
}

function toAmount({ value, priced, unpriced }: Sums): Amount {
  const sum = value === null ? null : BigInt(value);
  return priced === undefined || unpriced === undefined
    ? amountOf(sum)
    : costAmount(sum ?? 0n, { priced: BigInt(priced), unpriced: BigInt(unpriced) });
}
