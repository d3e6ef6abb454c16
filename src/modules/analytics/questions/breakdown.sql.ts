import type { SqlParameters } from '../../../database/sql-parameters.js';
import { CLIENT_CODE } from '../../ingest/event-codes.js';
import { classSums, COST_SUMS, factRows, joinRates, metricSums, type PinnedDays } from './fact-rows.sql.js';
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

/** Sums of cells `c`. */
const ADDED = `sum(c.value) AS value, sum(c.known) AS known, sum(c."of") AS "of"`;
/** The columns of a sum `c` as texts; the value is null when nothing of it is known. */
export const SUM_TEXTS = `c.value::text AS value, c.known::text AS known, c."of"::text AS "of"`;
const ORDER = `s.value DESC NULLS LAST, s.key COLLATE "C"`;

/** Columns key, day (if wanted), and those of a sum. */
export function cells(p: SqlParameters, options: CellsOptions): string {
  const { slice, byDay } = options;
  const grouped = sums(p, options, factRows(p, { ...options, hasKey: true }), true);
  const { select, join } = keyText(slice);
  const day = byDay ? ', c.day' : '';
  if (join === '') return `SELECT ${select} AS key${day}, c.value, c.known, c."of" FROM (${grouped}) c`;
  return `SELECT ${select} AS key${day}, ${ADDED} FROM (${grouped}) c ${join} GROUP BY 1${byDay ? ', 2' : ''}`;
}

/** Columns day and those of a sum. */
export function totals(p: SqlParameters, options: Omit<CellsOptions, 'byDay'>): string {
  const all = { ...options, byDay: true };
  return sums(p, all, factRows(p, { ...all, hasKey: false }), false);
}

function sums(
  p: SqlParameters,
  { slice, days, rates, byDay }: CellsOptions,
  { from, key }: { from: string; key: string },
  hasKey: boolean,
): string {
  const columns = [...(hasKey ? [`${key} AS k`] : []), ...(byDay ? ['f.day'] : [])];
  const groups = [...(hasKey ? [key] : []), ...(byDay ? ['f.day'] : [])].join(', ');
  if (slice.metric !== 'cost' || rates === null) {
    return `SELECT ${[...columns, metricSums(slice)].join(', ')} ${from} GROUP BY ${groups}`;
  }
  const kept = [...(hasKey ? ['g.k'] : []), ...(byDay ? ['g.day'] : [])].join(', ');
  const ofClasses = classSums(p, days);
  return `SELECT ${kept}, ${COST_SUMS}
            FROM (SELECT ${[...columns, ofClasses.columns].join(', ')} ${from} GROUP BY ${groups}, ${ofClasses.groups}) g
                 ${joinRates(p, rates.rows)}
           GROUP BY ${kept}`;
}

/** Of cells `c` with one row for each key. */
const SHOWN_SUMS = `c.key, CASE WHEN c."of" > 0 AND c.known = 0 THEN NULL ELSE c.value END AS value, c.known, c."of"`;

/** The page that begins after a position. */
export function page(p: SqlParameters, options: Omit<CellsOptions, 'byDay'> & PageOptions): string {
  return `WITH sums AS (SELECT ${SHOWN_SUMS} FROM (${cells(p, { ...options, byDay: false })}) c)
    SELECT c.key, ${SUM_TEXTS} FROM (${pageOf(p, options.slice, options)}) c`;
}

/**
 * The first page in one pass, in order, and last a row without a key for all rows together. The series are texts, because many
 * rows cost more to read than to compute: `day value known of`, with commas between the days.
 */
export function pageWithSeries(p: SqlParameters, options: Omit<CellsOptions, 'byDay'> & PageOptions): string {
  const series = `string_agg(concat_ws(' ', c.day, c.value, c.known, c."of"), ',')`;
  return `
    WITH cells AS MATERIALIZED (${cells(p, { ...options, byDay: true })}),
         sums AS (SELECT ${SHOWN_SUMS} FROM (SELECT c.key, ${ADDED} FROM cells c GROUP BY c.key) c),
         page AS (SELECT s.*, row_number() OVER (ORDER BY ${ORDER}) AS place FROM (${pageOf(p, options.slice, options)}) s),
         series AS (SELECT c.key, ${series} AS series FROM cells c WHERE c.key IN (SELECT s.key FROM page s) GROUP BY c.key)
    SELECT c.place, c.key, ${SUM_TEXTS}, s.series FROM page c JOIN series s ON s.key = c.key
     UNION ALL
    SELECT NULL, NULL, NULL, '0', '0', (SELECT ${series} FROM (SELECT c.day, ${ADDED} FROM cells c GROUP BY c.day) c)
     ORDER BY place`;
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
