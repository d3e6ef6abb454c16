import type { SqlParameters } from '../../../database/sql-parameters.js';
import { CLIENT_CODE } from '../../ingest/event-codes.js';
import {
  CLASS_COLUMNS,
  CLASS_SUMS,
  COST_SUMS,
  factRows,
  joinRates,
  type PinnedDays,
  valueOf,
} from './fact-rows.sql.js';
import { NO_TEAM, rulesOf, type Slice, UNKNOWN } from './metrics.js';
import type { RateTable } from './rate-table.js';

/* Statements over facts. `$1` is the organization; cells are figures by row of the answer, by day, or by both. */

export interface CellsOptions {
  readonly slice: Slice;
  readonly days: PinnedDays;
  readonly rates: RateTable | null;
  readonly byDay: boolean;
  readonly userIds?: readonly string[];
}

const ORDER = `s.value DESC NULLS LAST, s.key COLLATE "C"`;

/** Of a cost also the tokens with and without a price, as rows without any price have no value. */
const valuesOf = ({ slice, rates }: Pick<CellsOptions, 'slice' | 'rates'>) =>
  slice.metric === 'cost' && rates !== null ? ['value', 'priced', 'unpriced'] : ['value'];
const summed = (table: string, options: Pick<CellsOptions, 'slice' | 'rates'>) =>
  valuesOf(options)
    .map((name) => `sum(${table}.${name}) AS ${name}`)
    .join(', ');
const listed = (table: string, options: Pick<CellsOptions, 'slice' | 'rates'>, as = (name: string) => name) =>
  valuesOf(options)
    .map((name) => `${table}.${name}::text AS "${as(name)}"`)
    .join(', ');

/** Columns key, day (if wanted), value, and of a cost priced and unpriced. */
export function cells(p: SqlParameters, options: CellsOptions): string {
  const { slice, byDay } = options;
  const grouped = sums(p, options, factRows(p, { ...options, hasKey: true }), true);
  const { select, join } = keyText(slice);
  const day = byDay ? ', c.day' : '';
  if (join === '')
    return `SELECT ${select} AS key${day}, ${valuesOf(options)
      .map((name) => `c.${name}`)
      .join(', ')} FROM (${grouped}) c`;
  return `SELECT ${select} AS key${day}, ${summed('c', options)} FROM (${grouped}) c ${join} GROUP BY 1${byDay ? ', 2' : ''}`;
}

/** By day. */
export function totals(p: SqlParameters, options: Omit<CellsOptions, 'byDay'>): string {
  const all = { ...options, byDay: true };
  return `SELECT c.day::text AS day, ${listed('c', options)} FROM (${sums(p, all, factRows(p, { ...all, hasKey: false }), false)}) c`;
}

/** By key and day. */
export function series(p: SqlParameters, options: Omit<CellsOptions, 'byDay'>): string {
  return `SELECT c.key, c.day::text AS day, ${listed('c', options)} FROM (${cells(p, { ...options, byDay: true })}) c`;
}

/** Of the rows with these keys. */
export function values(p: SqlParameters, options: Omit<CellsOptions, 'byDay'>, keys: readonly string[]): string {
  return `SELECT s.key, ${listed('s', options)}
            FROM (SELECT c.key, ${summed('c', options)} FROM (${cells(p, { ...options, byDay: false })}) c
                   WHERE c.key = ANY (${p.add(keys)}::text[]) GROUP BY c.key) s`;
}

function sums(
  p: SqlParameters,
  { slice, rates, byDay }: CellsOptions,
  { from, key }: { from: string; key: string },
  hasKey: boolean,
): string {
  const columns = [...(hasKey ? [`${key} AS k`] : []), ...(byDay ? ['f.day'] : [])];
  const groups = [...(hasKey ? [key] : []), ...(byDay ? ['f.day'] : [])].join(', ');
  if (slice.metric !== 'cost' || rates === null) {
    return `SELECT ${[...columns, `sum(${valueOf(slice)}) AS value`].join(', ')} ${from} GROUP BY ${groups}`;
  }
  const kept = [...(hasKey ? ['g.k'] : []), ...(byDay ? ['g.day'] : [])].join(', ');
  return `SELECT ${kept}, ${COST_SUMS}
            FROM (SELECT ${[...columns, CLASS_SUMS].join(', ')} ${from} GROUP BY ${groups}, ${CLASS_COLUMNS}) g
                 ${joinRates(p, rates.rows)}
           GROUP BY ${kept}`;
}

/** The page that begins after a position: columns key and values, and with series a row for each day. */
export function page(p: SqlParameters, options: CellsOptions & PageOptions): string {
  const { slice, byDay } = options;
  const ofDay = listed('c', options, (name) => `${name}OfDay`);
  return `
    WITH cells AS MATERIALIZED (${cells(p, options)}), all_sums AS (SELECT c.key, ${summed('c', options)} FROM cells c GROUP BY c.key),
         sums AS (${ranked(options)}),
         page AS (${pageOf(p, slice, options)})
    SELECT s.key, ${listed('s', options)} ${byDay ? `, c.day::text AS day, ${ofDay}` : ''}
      FROM page s ${byDay ? 'LEFT JOIN cells c ON c.key = s.key' : ''} ORDER BY ${ORDER}${byDay ? ', c.day' : ''}`;
}

/** Without any price there is no value, so that the row comes last. */
function ranked(options: CellsOptions): string {
  if (valuesOf(options).length === 1) return 'SELECT a.* FROM all_sums a';
  return `SELECT a.key, CASE WHEN a.priced > 0 OR a.unpriced = 0 THEN a.value END AS value, a.priced, a.unpriced FROM all_sums a`;
}

export interface PageOptions {
  readonly search: string | null;
  readonly after: { readonly value: string | null; readonly key: string } | null;
  readonly rows: number;
}

function pageOf(p: SqlParameters, { dimension }: Slice, { search, after, rows }: PageOptions): string {
  const found = search === null ? '' : `AND ${matches(dimension, p.add(search.toLowerCase()))}`;
  return `SELECT s.* FROM sums s WHERE true ${found} ${behind(p, after)} ORDER BY ${ORDER} LIMIT ${p.add(rows)}`;
}

function behind(p: SqlParameters, after: PageOptions['after']): string {
  if (after === null) return '';
  const key = p.add(after.key);
  if (after.value === null) return `AND s.value IS NULL AND s.key COLLATE "C" > ${key}`;
  const value = `${p.add(after.value)}::numeric`;
  return `AND (s.value IS NULL OR s.value < ${value} OR (s.value = ${value} AND s.key COLLATE "C" > ${key}))`;
}

function matches(dimension: Slice['dimension'], word: string): string {
  const inKey = `strpos(lower(s.key), ${word}) > 0`;
  if (dimension === 'user') {
    return `(${inKey} OR s.key IN (SELECT u.id::text FROM users u WHERE u.org_id = $1 AND strpos(lower(u.email), ${word}) > 0))`;
  }
  if (dimension === 'team') {
    return `(${inKey} OR s.key IN (SELECT t.id::text FROM teams t WHERE t.org_id = $1 AND strpos(lower(t.name), ${word}) > 0))`;
  }
  return inKey;
}

/** People: a page (or the rows of `keys`) with all of them, and those of the other rows, beside it. */
export function peoplePage(
  p: SqlParameters,
  options: Omit<CellsOptions, 'byDay' | 'rates'> & ({ page: PageOptions } | { keys: readonly string[] }),
): string {
  const named =
    'page' in options
      ? `SELECT s.key, s.value, row_number() OVER (ORDER BY ${ORDER}) < ${p.add(options.page.rows)} AS is_named
           FROM (${pageOf(p, options.slice, options.page)}) s`
      : `SELECT s.key, s.value, true AS is_named FROM sums s WHERE s.key = ANY (${p.add(options.keys)}::text[])`;
  const isOther =
    'page' in options
      ? 'x.key NOT IN (SELECT s.key FROM page s WHERE s.is_named)'
      : `x.key <> ALL (${p.add(options.keys)}::text[])`;
  return `
    WITH pairs AS MATERIALIZED (${peopleOfKeys(p, options, '')}),
         sums AS (SELECT x.key, count(*) AS value FROM pairs x GROUP BY x.key),
         page AS (${named})
    SELECT a.total::text AS total, a.other::text AS other, s.key, s.value::text AS value
      FROM (SELECT count(DISTINCT x.user_id) AS total, count(DISTINCT x.user_id) FILTER (WHERE ${isOther}) AS other
              FROM pairs x) a
      LEFT JOIN page s ON true ORDER BY ${ORDER}`;
}

/** By day: people of each of the `keys`, of the other rows together (`key` is null) and of all (`isTotal`). */
export function peopleSeries(
  p: SqlParameters,
  options: Omit<CellsOptions, 'byDay' | 'rates'> & { keys: readonly string[] },
): string {
  const named = `CASE WHEN x.key = ANY (${p.add(options.keys)}::text[]) THEN x.key END`;
  return `
    SELECT y.key, y.day::text AS day, count(*)::text AS value, false AS "isTotal"
      FROM (SELECT DISTINCT ${named} AS key, x.day, x.user_id FROM (${peopleOfKeys(p, options, 'day')}) x) y
     GROUP BY y.key, y.day
     UNION ALL
    SELECT NULL, y.day::text, count(*)::text, true
      FROM (SELECT DISTINCT x.day, x.user_id FROM (${peopleOfKeys(p, options, 'day')}) x) y
     GROUP BY y.day`;
}

function peopleOfKeys(p: SqlParameters, { slice, days }: Pick<CellsOptions, 'slice' | 'days'>, by: '' | 'day'): string {
  const { from, key, person } = factRows(p, { slice, days, hasKey: true });
  const { select, join } = keyText(slice);
  const [outer, inner] = by === 'day' ? [', c.day', ', f.day'] : ['', ''];
  const repeated = rulesOf(slice.dimension).isFolded ? 'DISTINCT' : '';
  return `SELECT ${repeated} ${select} AS key, c.user_id${outer}
            FROM (SELECT DISTINCT ${key} AS k, ${person} AS user_id${inner} ${from}) c ${join}`;
}

/** Grouped rows `c` have `k`; people see a text. */
function keyText({ dimension }: Slice): { select: string; join: string } {
  if (dimension === 'user') return { select: 'c.k::text', join: '' };
  if (dimension === 'team') return { select: `coalesce(c.k::text, '${NO_TEAM}')`, join: '' };
  if (dimension === 'client') {
    const names = Object.entries(CLIENT_CODE).map(([name, code]) => `WHEN ${code} THEN '${name}'`);
    return { select: `CASE c.k ${names.join(' ')} ELSE '${UNKNOWN}' END`, join: '' };
  }
  const name = rulesOf(dimension).isFolded ? 'n.folded' : 'n.name';
  return {
    select: `coalesce(${name}, '${UNKNOWN}')`,
    join: `LEFT JOIN event_names n ON n.org_id = $1 AND n.id = c.k`,
  };
}
