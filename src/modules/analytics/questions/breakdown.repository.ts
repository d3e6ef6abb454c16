import { Injectable } from '@nestjs/common';
import { AnalyticsLoad } from '../analytics-load.js';
import {
  cells,
  page,
  pageWithSeries,
  type PageOptions,
  peoplePage,
  peopleSeries,
  SUM_TEXTS,
  totals,
} from './breakdown.sql.js';
import type { PinnedDays } from './fact-rows.sql.js';
import type { Slice } from './metrics.js';
import { ofOrganization } from './questions.repository.js';
import type { RateTable } from './rate-table.js';
import { type Series, type Sum, whole } from './sums.js';

export interface KeyedValue {
  readonly key: string;
  readonly value: Sum;
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
  readonly total: Sum;
  /** Of all rows that are not named. */
  readonly other: Sum;
}

export interface PeopleByDay {
  readonly named: ReadonlyMap<string, Series>;
  readonly other: Series;
  readonly total: Series;
}

interface Texts {
  readonly value: string | null;
  readonly known: string;
  readonly of: string;
}

type Cell = Texts & { readonly key: string };

@Injectable()
export class BreakdownRepository {
  constructor(private readonly load: AnalyticsLoad) {}

  async listPage(orgId: string, of: SlicedDays, wanted: PageOptions): Promise<KeyedValue[]> {
    const p = ofOrganization(orgId);
    const rows = await this.load.readMany<Cell>(orgId, page(p, { ...of, ...wanted }), p.values);
    return rows.map((row) => ({ key: row.key, value: exact(row) }));
  }

  /** For dimensions with few rows: one pass gives values, series and the total. */
  async listPageWithSeries(
    orgId: string,
    of: SlicedDays,
    wanted: PageOptions,
  ): Promise<{ rows: KeyedSeries[]; total: Series }> {
    const p = ofOrganization(orgId);
    const found = await this.load.readMany<Texts & { key: string | null; series: string | null }>(
      orgId,
      pageWithSeries(p, { ...of, ...wanted }),
      p.values,
    );
    const rows = found.flatMap(({ key, series, ...texts }) => {
      return key === null ? [] : [{ key, value: exact(texts), series: toSeries(series) }];
    });
    return { rows, total: toSeries(found.at(-1)?.series ?? null) };
  }

  async listSeriesOfUsers(orgId: string, of: SlicedDays, userIds: string[]): Promise<Map<string, Series>> {
    const p = ofOrganization(orgId);
    const sql = `SELECT c.key, c.day::text AS day, ${SUM_TEXTS} FROM (${cells(p, { ...of, byDay: true, userIds })}) c`;
    const rows = await this.load.readMany<Cell & { day: string }>(orgId, sql, p.values);
    return seriesByKey(rows);
  }

  /** Of the rows with these keys. */
  async listValues(orgId: string, of: SlicedDays, keys: string[]): Promise<Map<string, Sum>> {
    const p = ofOrganization(orgId);
    const userIds = of.slice.dimension === 'user' ? keys : undefined;
    const sql = `SELECT c.key, ${SUM_TEXTS} FROM (${cells(p, { ...of, byDay: false, userIds })}) c WHERE c.key = ANY (${p.add(keys)}::text[])`;
    const rows = await this.load.readMany<Cell>(orgId, sql, p.values);
    return new Map(rows.map((row) => [row.key, exact(row)]));
  }

  /** Of all rows together. */
  async listTotals(orgId: string, of: SlicedDays): Promise<Series> {
    const p = ofOrganization(orgId);
    const sql = `SELECT c.day::text AS day, ${SUM_TEXTS} FROM (${totals(p, of)}) c`;
    const rows = await this.load.readMany<Texts & { day: string }>(orgId, sql, p.values);
    return new Map(rows.map((row) => [row.day, exact(row)]));
  }

  async countPeople(
    orgId: string,
    of: SlicedDays,
    wanted: { page: PageOptions } | { keys: string[] },
  ): Promise<PeopleCounts> {
    const p = ofOrganization(orgId);
    const rows = await this.load.readMany<{ total: string; other: string; key: string | null; value: string }>(
      orgId,
      peoplePage(p, { ...of, ...wanted }),
      p.values,
    );
    const [first] = rows;
    return {
      rows: rows.flatMap(({ key, value }) => (key === null ? [] : [{ key, value: whole(BigInt(value)) }])),
      total: whole(BigInt(first?.total ?? 0)),
      other: whole(BigInt(first?.other ?? 0)),
    };
  }

  async listPeopleByDay(orgId: string, of: SlicedDays, keys: string[]): Promise<PeopleByDay> {
    const p = ofOrganization(orgId);
    const rows = await this.load.readMany<{ key: string | null; day: string; value: string; isTotal: boolean }>(
      orgId,
      peopleSeries(p, { ...of, keys }),
      p.values,
    );
    const seriesOf = (isWanted: (row: (typeof rows)[number]) => boolean) =>
      new Map(rows.filter(isWanted).map(({ day, value }) => [day, whole(BigInt(value))]));
    return {
      named: seriesByKey(
        rows.flatMap((row) => (row.key === null ? [] : [{ ...row, key: row.key, known: '0', of: '0' }])),
      ),
      other: seriesOf(({ key, isTotal }) => key === null && !isTotal),
      total: seriesOf(({ isTotal }) => isTotal),
    };
  }
}

function seriesByKey(rows: (Cell & { day: string })[]): Map<string, Series> {
  const found = new Map<string, Map<string, Sum>>();
  for (const row of rows) {
    const series = found.get(row.key) ?? new Map<string, Sum>();
    found.set(row.key, series.set(row.day, exact(row)));
  }
  return found;
}

/** See `pageWithSeries`. */
function toSeries(text: string | null): Series {
  const days = text === null ? [] : text.split(',');
  return new Map(
    days.map((each) => {
      const [day = '', value = '0', known = '0', of = '0'] = each.split(' ');
      return [day, exact({ value, known, of })];
    }),
  );
}

function exact({ value, known, of }: Texts): Sum {
  return { amount: BigInt(value ?? 0), known: BigInt(known), of: BigInt(of) };
}
