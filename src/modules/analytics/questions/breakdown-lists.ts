import { Injectable } from '@nestjs/common';
import { type Row, restOf } from './breakdown-rows.js';
import { NOTHING, type Series, sumOf } from './sums.js';
import { BreakdownRepository, type KeyedValue, type SlicedDays } from './breakdown.repository.js';
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

type FoundRow = KeyedValue & { readonly series?: Series | undefined };

const keysOf = (rows: readonly KeyedValue[]) => rows.map(({ key }) => key);

@Injectable()
export class BreakdownLists {
  constructor(private readonly repository: BreakdownRepository) {}

  read(orgId: string, request: BreakdownRequest): Promise<Breakdown> {
    return request.current.slice.metric === 'active_people' ? this.people(orgId, request) : this.sums(orgId, request);
  }

  /** Sums add up: what is not named is the difference to the total. */
  private async sums(orgId: string, { current, previous, page, hasSeries }: BreakdownRequest): Promise<Breakdown> {
    const { named, next, byDay } = await this.foundRows(orgId, current, page, hasSeries);
    const before = previous ? await this.repository.listValues(orgId, previous, keysOf(named)) : null;
    const totalBefore = previous ? sumOf((await this.repository.listTotals(orgId, previous)).values()) : undefined;
    const total = { value: sumOf(byDay.values()), previous: totalBefore, series: hasSeries ? byDay : undefined };
    const rows = named.map(({ key, value, series }) => ({
      key,
      value,
      previous: before ? (before.get(key) ?? NOTHING) : undefined,
      series,
    }));
    return { rows, other: restOf(total, rows), total, hasMore: next !== null };
  }

  private async foundRows(orgId: string, current: SlicedDays, page: PageOptions, hasSeries: boolean) {
    if (hasSeries && current.slice.dimension !== 'user') {
      const { rows, total } = await this.repository.listPageWithSeries(orgId, current, page);
      return { ...split<FoundRow>(rows, page), byDay: total };
    }
    const { named, next } = split<FoundRow>(await this.repository.listPage(orgId, current, page), page);
    const byDay = await this.repository.listTotals(orgId, current);
    if (!hasSeries) return { named, next, byDay };
    const series = await this.repository.listSeriesOfUsers(orgId, current, keysOf(named));
    return { named: named.map((row) => ({ ...row, series: series.get(row.key) ?? new Map() })), next, byDay };
  }

  /** People of several rows would be counted twice in a sum, so everything is counted for itself. */
  private async people(orgId: string, { current, previous, page, hasSeries }: BreakdownRequest): Promise<Breakdown> {
    const found = await this.repository.countPeople(orgId, current, { page });
    const { named, next } = split(found.rows, page);
    const keys = keysOf(named);
    const before = previous ? await this.repository.countPeople(orgId, previous, { keys }) : null;
    const valuesBefore = new Map(before?.rows.map(({ key, value }) => [key, value]));
    const byDay = hasSeries ? await this.repository.listPeopleByDay(orgId, current, keys) : null;
    return {
      rows: named.map(({ key, value }) => ({
        key,
        value,
        previous: before ? (valuesBefore.get(key) ?? NOTHING) : undefined,
        series: byDay ? (byDay.named.get(key) ?? new Map()) : undefined,
      })),
      other: { value: found.other, previous: before?.other, series: byDay?.other },
      total: { value: found.total, previous: before?.total, series: byDay?.total },
      hasMore: next !== null,
    };
  }
}

function split<T extends KeyedValue>(rows: T[], { rows: limit }: PageOptions): { named: T[]; next: T | null } {
  return { named: rows.slice(0, limit - 1), next: rows[limit - 1] ?? null };
}
