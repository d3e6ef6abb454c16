import type { Position } from '../../src/http/paging/paging.js';
import { OrgDatabase } from '../../src/database/org-database.js';
import { SessionStreamRepository } from '../../src/modules/sessions/stream/session-stream.repository.js';
import { ApiKeysRepository } from '../../src/modules/organization/api-keys/api-keys.repository.js';
import type { ApiAnswer } from '../support/api-client.js';
import { REPORTS, REPORTS_ALIAS } from '../support/given-report.js';
import { isLong } from '../support/long.js';
import { OPERATIONS } from '../support/operations.js';
import { Plan, recordReads, type Statement } from '../support/plans.js';
import { type SeededOrganization, seedLists, USAGE_DAY } from '../support/seed-lists.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const ROWS = 3_000;
const PAGE = 100;
/** So many pages are far enough. */
const PAGES = isLong ? Infinity : 12;
interface List {
  readonly list: string;
  /** As in the API document. */
  readonly path: string;
  /** The table whose rows are listed, as the statement names it. */
  readonly from: string;
  readonly filter?: () => string;
  /** The parameter that leads to the next page; empty at the end. */
  readonly next?: (body: ApiAnswer['body']) => string;
  /** How many rows the statement asks for; one more than a page has, where the answer says whether there are more. */
  readonly rows?: number;
}

const byCursor = ({ pagination }: ApiAnswer['body']) => {
  return pagination.nextCursor ? `&cursor=${pagination.nextCursor}` : '';
};
const byLastReport = ({ reports }: ApiAnswer['body']) => {
  return reports.length > 0 ? `&startAfter=${reports.at(-1).reportId}` : '';
};

let app: TestApp;
let ours: SeededOrganization;
let statements: Statement[];

const LISTS: List[] = [
  { list: 'users', path: '/api/v0/organization/users', from: 'FROM users u' },
  { list: 'members', path: '/api/v0/organization/members', from: 'FROM users u' },
  { list: 'teams', path: '/api/v0/organization/teams', from: 'FROM teams t' },
  { list: 'API keys of everybody', path: '/api/v0/api-keys', from: 'FROM api_keys k' },
  { list: 'usage limits', path: '/api/v0/organization/usage/limits/users', from: 'FROM users u' },
  { list: 'history', path: '/api/v0/organization/enterprise-controls/history', from: 'FROM enterprise_controls c' },
  { list: 'audit log', path: '/api/v0/organization/audit-log', from: 'FROM audit_log a' },
  { list: 'sources of telemetry', path: '/api/v0/telemetry/sources', from: 'FROM telemetry_sources s' },
  { list: 'sessions', path: '/api/v0/sessions', from: 'FROM sessions s' },
  {
    list: 'sessions on a computer',
    path: '/api/v0/sessions',
    from: 'FROM sessions s',
    filter: () => `&computerId=${ours.computerId}`,
  },
  { list: 'messages', path: '/api/v0/sessions/{sessionId}/messages', from: 'FROM messages m' },
  {
    list: 'messages of a role',
    path: '/api/v0/sessions/{sessionId}/messages',
    from: 'FROM messages m',
    filter: () => '&role=tool',
  },
  { list: 'sessions of everybody', path: '/api/v0/organization/sessions', from: 'FROM sessions s' },
  {
    list: 'messages for owners',
    path: '/api/v0/organization/sessions/{sessionId}/messages',
    from: 'FROM messages m',
  },
  { list: 'search', path: '/api/v0/sessions/search', from: 'FROM messages m', filter: () => '&q=needle' },
  {
    list: 'users of a day',
    path: '/api/v1/analytics/users',
    from: 'FROM users u',
    filter: () => `&startDate=${USAGE_DAY}&endDate=${USAGE_DAY}`,
    next: ({ meta }) => (meta.has_more ? `&cursor=${meta.next_cursor}` : ''),
  },
  ...[REPORTS, REPORTS_ALIAS].flatMap((path): List[] => {
    const reports = { path, from: 'FROM readiness_reports r', next: byLastReport, rows: PAGE };
    return [
      { list: `readiness reports at ${path}`, ...reports },
      { list: `readiness reports of a repository at ${path}`, ...reports, filter: () => `&repoId=${ours.repoId}` },
    ];
  }),
];

beforeAll(async () => {
  app = await TestApp.start();
  ours = await seedLists(app.database.url, await app.given.organization(), ROWS);
  await seedLists(app.database.url, await app.given.organization(), ROWS);
  await query(app.database.url, 'VACUUM ANALYZE');
  statements = recordReads(app.nest.get(OrgDatabase));
}, 60_000);
afterAll(() => app.stop());

interface Pages {
  first: Plan;
  deep: Plan;
}

/** Walks through a list and explains the statements that the service sent for its first page and for one far behind. */
async function walk({ path, from, filter, next = byCursor }: List): Promise<Pages> {
  const sent: Statement[] = [];
  let position = '';
  do {
    statements.length = 0;
    const url = `${path.replace('{sessionId}', ours.sessionId)}?limit=${PAGE}${filter?.() ?? ''}`;
    const { status, body } = await app.as(ours.org.owner).get(url + position);
    if (status !== 200) throw new Error(`${url} answered ${status}`);
    const statement = statements.filter(({ sql }) => sql.includes(from) && sql.includes('LIMIT')).at(-1);
    if (!statement) throw new Error(`No statement with "${from}" was sent for ${url}`);
    sent.push(statement);
    position = next(body);
  } while (position && sent.length < PAGES);
  const [first, deep] = [sent[0], sent[Math.floor(sent.length * 0.8)]];
  if (!first || !deep || sent.length < 10) throw new Error('The list is too short');
  return {
    first: await Plan.of(app.database, ours.org.id, first),
    deep: await Plan.of(app.database, ours.org.id, deep),
  };
}

/** Neither plan reads or sorts the whole of a table, and the second costs as much as the first. */
function expectFlat(table: string, { first, deep }: Pages, rows = PAGE + 1): void {
  for (const plan of [first, deep]) {
    expect(plan.rows).toBe(rows);
    expect(plan.sequentialScans).not.toContain(table);
    expect(plan.discardedRows).toBe(0);
    expect(plan.sortedRows).toBeLessThanOrEqual(PAGE + 1);
  }
  expect(deep.buffers).toBeLessThanOrEqual(1.5 * first.buffers + 10);
}

it.each(LISTS)('the list of $list costs the same on its first page and far behind', async (list) => {
  expectFlat(list.from.split(' ')[1] ?? '', await walk(list), list.rows);
});

it('the API keys of one user cost the same on the first page and far behind', async () => {
  const keys = app.nest.get(ApiKeysRepository);
  const explain = async (after: Position | null) => {
    statements.length = 0;
    const { items } = await keys.listPage(ours.org.id, { limit: PAGE, after, scope: '' }, ours.org.owner.id);
    const [statement] = statements;
    if (!statement) throw new Error('No statement was sent');
    return { items, plan: await Plan.of(app.database, ours.org.id, statement) };
  };
  const first = await explain(null);
  const sql = `SELECT created_at AS at, id FROM api_keys WHERE org_id = $1 AND user_id = $2 ORDER BY 1, 2 OFFSET 600 LIMIT 1`;
  const [row] = await query<{ at: Date; id: string }>(app.database.url, sql, [ours.org.id, ours.org.owner.id]);
  const deep = await explain([row?.at.toISOString() ?? '', row?.id ?? '']);
  expect(new Set([...first.items, ...deep.items].map(({ userId }) => userId))).toEqual(new Set([ours.org.owner.id]));
  expectFlat('api_keys', { first: first.plan, deep: deep.plan });
});

it('the events of a session cost the same at the beginning and far behind', async () => {
  const events = app.nest.get(SessionStreamRepository);
  const explain = async (after: number) => {
    statements.length = 0;
    await events.listAfter(ours.org.id, ours.sessionId, after);
    const [statement] = statements;
    if (!statement) throw new Error('No statement was sent');
    return Plan.of(app.database, ours.org.id, statement);
  };
  expectFlat('session_events', { first: await explain(0), deep: await explain(ROWS * 0.8) }, PAGE);
});

it('the report before another is found without a look at the rest', async () => {
  const { body } = await app.as(ours.org.owner).get(`${REPORTS}?repoId=${ours.repoId}&limit=1`);
  statements.length = 0;
  await app.as(ours.org.owner).get(`${REPORTS}/${body.reports[0].reportId}`);
  const [statement] = statements.filter(({ sql }) => sql.includes('LIMIT 1'));
  if (!statement) throw new Error('No statement was sent');
  const { rows, sequentialScans, discardedRows, sortedRows } = await Plan.of(app.database, ours.org.id, statement);
  expect({ rows, sequentialScans, discardedRows, sortedRows }).toEqual({
    rows: 1,
    sequentialScans: [],
    discardedRows: 0,
    sortedRows: 0,
  });
});

/** Each of their rows is added up from others: they cost what the page is made of. */
const SUMMARIES = /^\/api\/(?:organization\/readiness\/|v1\/analytics\/breakdown$)/;

it('every list with pages is looked at here, apart from summaries', () => {
  const paged = OPERATIONS.filter(({ path, parameters }) => {
    return !SUMMARIES.test(path) && parameters.some(({ name }) => name === 'limit');
  });
  expect([...new Set(LISTS.map(({ path }) => path))].sort()).toEqual(paged.map(({ path }) => path).sort());
});
