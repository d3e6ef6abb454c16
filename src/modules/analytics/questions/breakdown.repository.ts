import { Injectable } from '@nestjs/common';
import { AnalyticsLoad } from '../analytics-load.js';
import { cells, page, type PageOptions, peoplePage, peopleSeries, totals } from './breakdown.sql.js';
import type { PinnedDays } from './fact-rows.sql.js';
import type { Slice } from './metrics.js';
import { ofOrganization } from './questions.repository.js';
import type { RateTable } from './rate-table.js';

/** Values by day; a day that is missing has none. */
export type Series = ReadonlyMap<string, bigint | null>;

export interface KeyedValue {
  readonly key: string;
  readonly value: bigint | null;
}

export interface KeyedSeries extends KeyedValue {
  readonly series: Series;
}

/** Everything that a list is made of. */
export interface SlicedDays {
  readonly slice: Slice;
  readonly days: PinnedDays;
  readonly rates: RateTable | null;
}

export interface PeopleCounts {
  readonly rows: KeyedValue[];
  readonly total: bigint;
  /** Of all rows that are not named. */
  readonly other: bigint;
}

export interface PeopleByDay {
  readonly named: ReadonlyMap<string, Series>;
  readonly other: Series;
  readonly total: Series;
}

interface Cell {
  readonly key: string;
  readonly value: string | null;
}

@Injectable()
export class BreakdownRepository {
  constructor(private readonly load: AnalyticsLoad) {}

  async listPage(orgId: string, of: SlicedDays, wanted: PageOptions): Promise<KeyedValue[]> {
    const p = ofOrganization(orgId);
    const rows = await this.load.read<Cell>(orgId, page(p, { ...of, ...wanted, byDay: false }), p.values);
    return rows.map(({ key, value }) => ({ key, value: exact(value) }));
  }

  /** For dimensions with few rows: one pass gives values and series. */
  async listPageWithSeries(orgId: string, of: SlicedDays, wanted: PageOptions): Promise<KeyedSeries[]> {
    const p = ofOrganization(orgId);
    const sql = page(p, { ...of, ...wanted, byDay: true });
    const rows = await this.load.read<Cell & { day: string; dayValue: string | null }>(orgId, sql, p.values);
    const found = new Map<string, KeyedSeries & { series: Map<string, bigint | null> }>();
    for (const { key, value, day, dayValue } of rows) {
      const row = found.get(key) ?? { key, value: exact(value), series: new Map<string, bigint | null>() };
      found.set(key, row);
      row.series.set(day, exact(dayValue));
    }
    return [...found.values()];
  }

  async listSeriesOfUsers(orgId: string, of: SlicedDays, userIds: string[]): Promise<Map<string, Series>> {
    const p = ofOrganization(orgId);
    const sql = `SELECT c.key, c.day::text AS day, c.value::text AS value FROM (${cells(p, { ...of, byDay: true, userIds })}) c`;
    const rows = await this.load.read<Cell & { day: string }>(orgId, sql, p.values);
    return seriesByKey(rows);
  }

  /** Of the rows with these keys. */
  async listValues(orgId: string, of: SlicedDays, keys: string[]): Promise<Map<string, bigint | null>> {
    const p = ofOrganization(orgId);
    const userIds = of.slice.dimension === 'user' ? keys : undefined;
    const sql = `SELECT c.key, sum(c.value)::text AS value FROM (${cells(p, { ...of, byDay: false, userIds })}) c
                  WHERE c.key = ANY (${p.add(keys)}::text[]) GROUP BY c.key`;
    const rows = await this.load.read<Cell>(orgId, sql, p.values);
    return new Map(rows.map(({ key, value }) => [key, exact(value)]));
  }

  /** Of all rows together. */
  async listTotals(orgId: string, of: SlicedDays): Promise<Series> {
    const p = ofOrganization(orgId);
    const sql = `SELECT c.day::text AS day, c.value::text AS value FROM (${totals(p, of)}) c`;
    const rows = await this.load.read<{ day: string; value: string | null }>(orgId, sql, p.values);
    return new Map(rows.map(({ day, value }) => [day, exact(value)]));
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
      rows: rows.flatMap(({ key, value }) => (key === null ? [] : [{ key, value: BigInt(value) }])),
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
      new Map(rows.filter(isWanted).map(({ day, value }) => [day, BigInt(value)]));
    return {
      named: seriesByKey(rows.flatMap((row) => (row.key === null ? [] : [{ ...row, key: row.key }]))),
      other: seriesOf(({ key, isTotal }) => key === null && !isTotal),
      total: seriesOf(({ isTotal }) => isTotal),
    };
  }
}

function seriesByKey(rows: (Cell & { day: string })[]): Map<string, Series> {
  const found = new Map<string, Map<string, bigint | null>>();
  for (const { key, day, value } of rows) {
    const series = found.get(key) ?? new Map<string, bigint | null>();
    found.set(key, series.set(day, exact(value)));
  }
  return found;
}

const exact = (text: string | null) => (text === null ? null : BigInt(text));
