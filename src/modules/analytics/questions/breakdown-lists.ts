import { Injectable } from '@nestjs/common';
import { type Amount, amountOf, NOTHING, type Series, sumOf } from './amounts.js';
import { type Row, restOf } from './breakdown-rows.js';
import { BreakdownRepository, type KeyedAmount, type KeyedSeries, type SlicedDays } from './breakdown.repository.js';
import type { PageOptions } from './breakdown.sql.js';

/** The named rows, everything else, and everything. */
export interface Breakdown {
  readonly rows: readonly (Row & { readonly key: string })[];
  readonly other: Row;
  readonly total: Row;
  readonly hasMore: boolean;
}

export interface BreakdownRequest {
  readonly current: SlicedDays;
  readonly previous: SlicedDays | null;
  /** One row more than is wanted: it tells whether there are more. */
  readonly page: PageOptions;
  readonly hasSeries: boolean;
}

type FoundRow = KeyedAmount & { readonly series?: Series };

const keysOf = (rows: readonly KeyedAmount[]) => rows.map(({ key }) => key);

@Injectable()
export class BreakdownLists {
  constructor(private readonly repository: BreakdownRepository) {}

  read(orgId: string, request: BreakdownRequest): Promise<Breakdown> {
    return request.current.slice.metric === 'active_people' ? this.people(orgId, request) : this.sums(orgId, request);
  }

  /** Sums add up: what is not named is the difference to the total. */
  private async sums(orgId: string, { current, previous, page, hasSeries }: BreakdownRequest): Promise<Breakdown> {
    const { named, next } = split(await this.pageOf(orgId, current, page, hasSeries), page);
    const series = hasSeries ? await this.seriesOf(orgId, current, named) : null;
    const byDay = await this.repository.listTotals(orgId, current);
    const before = previous ? await this.repository.listValues(orgId, previous, keysOf(named)) : null;
    const totalBefore = previous ? totalOf(await this.repository.listTotals(orgId, previous)) : undefined;
    const total = { amount: totalOf(byDay), previous: totalBefore, series: hasSeries ? byDay : undefined };
    const rows = named.map(({ key, amount }) => ({
      key,
      amount,
      previous: before ? amountIn(before, key) : undefined,
      series: series ? (series.get(key) ?? new Map()) : undefined,
    }));
    return { rows, other: restOf(total, rows), total, hasMore: next !== null };
  }

  private pageOf(orgId: string, current: SlicedDays, page: PageOptions, hasSeries: boolean): Promise<FoundRow[]> {
    const isOnePass = hasSeries && current.slice.dimension !== 'user';
    return isOnePass
      ? this.repository.listPageWithSeries(orgId, current, page)
      : this.repository.listPage(orgId, current, page);
  }

  private async seriesOf(orgId: string, current: SlicedDays, named: FoundRow[]): Promise<Map<string, Series>> {
    if (current.slice.dimension === 'user') return this.repository.listSeriesOfUsers(orgId, current, keysOf(named));
    return new Map((named as KeyedSeries[]).map(({ key, series }) => [key, series]));
  }

  /** People of several rows would be counted twice in a sum, so everything is counted for itself. */
  private async people(orgId: string, { current, previous, page, hasSeries }: BreakdownRequest): Promise<Breakdown> {
    const found = await this.repository.countPeople(orgId, current, { page });
    const { named, next } = split(found.rows, page);
    const keys = keysOf(named);
    const before = previous ? await this.repository.countPeople(orgId, previous, { keys }) : undefined;
    const amountsBefore = new Map(before?.rows.map(({ key, amount }) => [key, amount]));
    const byDay = hasSeries ? await this.repository.listPeopleByDay(orgId, current, keys) : null;
    return {
      rows: named.map(({ key, amount }) => ({
        key,
        amount,
        previous: before ? amountIn(amountsBefore, key) : undefined,
        series: byDay ? (byDay.named.get(key) ?? new Map()) : undefined,
      })),
      other: { amount: amountOf(found.other), previous: before && amountOf(before.other), series: byDay?.other },
      total: { amount: amountOf(found.total), previous: before && amountOf(before.total), series: byDay?.total },
      hasMore: next !== null,
    };
  }
}

function split<T extends KeyedAmount>(rows: T[], { rows: limit }: PageOptions): { named: T[]; next: T | null } {
  return { named: rows.slice(0, limit - 1), next: rows[limit - 1] ?? null };
}

function amountIn(amounts: ReadonlyMap<string, Amount>, key: string): Amount {
  return amounts.get(key) ?? NOTHING;
}

function totalOf(series: Series): Amount {
  return sumOf([...series.values()]);
}
