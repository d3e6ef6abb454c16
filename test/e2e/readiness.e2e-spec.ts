import { randomUUID } from 'node:crypto';
import { givenReport, newReport, REPORTS, REPORTS_ALIAS, share } from '../support/given-report.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { itLong } from '../support/long.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const NOW = '2026-11-15T08:30:00.000Z';
const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start({ clock });
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
});
afterAll(() => app.stop());

const list = (parameters = '', by: GivenUser = org.owner) => app.as(by).get(`${REPORTS}${parameters}`);
const idsOf = (reports: { reportId: string }[]) => reports.map(({ reportId }) => reportId);
const listed = async (parameters = '') => idsOf((await list(parameters)).body.reports);
const ofRepository = (spelling: string) => listed(`?repoId=${encodeURIComponent(spelling)}`);
const read = (id: string, by: GivenUser = org.owner) => app.as(by).get(`${REPORTS}/${id}`);

/** Ids of new reports, newest first; between two of them the clock goes on by `gapMs`. */
async function reported(count: number, gapMs: number, changes: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    ids.unshift((await givenReport(app, org.owner, changes)).reportId);
    clock.advance(gapMs);
  }
  return ids;
}

/** All ids of the list, part by part until one is empty; `between` happens after each part. */
async function walk(limit: number, filter = '', between?: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const last = ids.at(-1);
    const part = await listed(`?limit=${limit}${filter}${last === undefined ? '' : `&startAfter=${last}`}`);
    if (part.length === 0) return ids;
    expect(part.length).toBeLessThanOrEqual(limit);
    ids.push(...part);
    await between?.();
  }
}

/** Many reports at once, as only the database can make them; each criterion has 10,000 characters. */
async function seed(count: number, criteria = 1): Promise<void> {
  await query(
    app.database.url,
    `INSERT INTO readiness_reports (org_id, id, repo_url, repo_key, apps, report, created_at)
     SELECT $1, gen_random_uuid(), 'https://github.com/acme/shop', 'github.com/acme/shop', '{}',
            (SELECT json_object_agg('c' || c, json_build_object('numerator', 1, 'denominator', 1,
                                                                'rationale', repeat('x', 10000)))
               FROM generate_series(1, $3::int) c),
            $4::timestamptz + n * interval '1 second'
       FROM generate_series(1, $2::int) n`,
    [org.id, count, criteria, NOW],
  );
}

describe('the list of readiness reports', () => {
  it('is empty in the beginning', async () => {
    const { status, body } = await list();
    expect([status, body]).toEqual([200, { reports: [] }]);
  });

  it('shows the newest first, each as it was stored', async () => {
    const first = await givenReport(app, org.owner);
    clock.advance(1);
    const second = await givenReport(app, await app.given.user(org), { branch: 'main', hasLocalChanges: false });
    expect((await list()).body).toEqual({ reports: [second, first] });
  });

  it('orders by id what was stored in the same millisecond', async () => {
    const ids = await reported(5, 0);
    expect(await listed()).toEqual([...ids].sort().reverse());
  });

  it('orders by time before it orders by id', async () => {
    clock.advance(10_000);
    const [later] = await reported(1, 0);
    clock.set(NOW);
    const [earlier] = await reported(1, 0);
    expect([(earlier ?? '') > (later ?? ''), await listed()]).toEqual([true, [later, earlier]]);
  });

  it('is the same under its newer name', async () => {
    const [id] = await reported(1, 0);
    const { body: uploaded } = await app.as(org.owner).post(REPORTS_ALIAS, newReport());
    const aliased = await app.as(org.owner).get(REPORTS_ALIAS);
    expect([aliased.status, aliased.text]).toEqual([200, (await list()).text]);
    expect(idsOf(aliased.body.reports).sort()).toEqual([id, uploaded.reportId].sort());
    expect((await app.as(org.owner).get(`${REPORTS_ALIAS}/${id}`)).text).toBe((await read(id ?? '')).text);
  });

  it('has nothing of another organization', async () => {
    const other = await app.given.organization();
    await givenReport(app, other.owner);
    const [own] = await reported(1, 0);
    expect([await listed(), await ofRepository('github.com/acme/shop')]).toEqual([[own], [own]]);
  });
});

describe('going on in the list', () => {
  it.each([1, 2, 3, 5, 6, 500])('shows each once, %d at a time', async (limit) => {
    const ids = await reported(5, 1);
    expect(await walk(limit)).toEqual(ids);
  });

  it.each([1, 2, 3])('loses and repeats none of those of one millisecond, %d at a time', async (limit) => {
    const ids = await reported(6, 0);
    expect(await walk(limit)).toEqual(ids.sort().reverse());
  });

  it('repeats and skips nothing while reports are added', async () => {
    const ids = await reported(4, 1);
    expect(await walk(1, '', () => reported(1, 1))).toEqual(ids);
  });

  it('stays with the repository that was asked for', async () => {
    const ours = [];
    for (let i = 0; i < 3; i++) {
      ours.unshift(...(await reported(1, i % 2)));
      await reported(1, 0, { repoUrl: 'https://github.com/acme/other' });
    }
    expect(await walk(1, '&repoId=github.com/acme/shop')).toEqual([...ours].sort().reverse());
  });

  it('is possible behind a report of another repository: it is a position', async () => {
    const [ours] = await reported(1, 1);
    const [other] = await reported(1, 1, { repoUrl: 'https://github.com/acme/other' });
    expect(await listed(`?repoId=github.com/acme/shop&startAfter=${other}`)).toEqual([ours]);
  });

  it('takes an id in capitals', async () => {
    const [second, first] = await reported(2, 1);
    expect(await listed(`?startAfter=${second?.toUpperCase()}`)).toEqual([first]);
  });

  it('ends with an empty answer behind the last', async () => {
    const [last] = await reported(1, 0);
    expect((await list(`?startAfter=${last}`)).body).toEqual({ reports: [] });
  });

  it.each(['random', 'foreign'])('behind a %s id is 400, and the two cannot be told apart', async (which) => {
    const foreign = await givenReport(app, (await app.given.organization()).owner);
    const id = which === 'foreign' ? (foreign.reportId as string) : randomUUID();
    const { status, body } = await list(`?startAfter=${id}`);
    expect([status, body.errors, body.detail]).toEqual([
      400,
      [{ field: 'startAfter', message: 'is not the id of a report' }],
      'startAfter: is not the id of a report',
    ]);
  });

  it.each(['', 'x', '1', 'null', '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4', '%27', 'x'.repeat(5000)])(
    'behind "%s", which is no id, is 400',
    async (id) => {
      const { status, body } = await list(`?startAfter=${id}`);
      expect([status, body.errors[0].field]).toEqual([400, 'startAfter']);
    },
  );
});

describe('the limit of the list', () => {
  it('is 50 unless told otherwise', async () => {
    await seed(51);
    expect(await listed()).toHaveLength(50);
  });

  it.each([1, 50, 100, 101, 499, 500])('may be %d', async (limit) => {
    await seed(501);
    expect(await listed(`?limit=${limit}`)).toHaveLength(limit);
  });

  it.each(['0', '501', '-1', '1.5', '1e2', '0x10', '%205', '5%20', '+5', '05', '', 'null', '%D9%A5', '9'.repeat(20)])(
    'cannot be "%s"',
    async (limit) => {
      const { status, body } = await list(`?limit=${limit}`);
      const wrong = { field: 'limit', message: 'must be a whole number from 1 to 500' };
      expect([status, body.errors]).toEqual([400, [wrong]]);
    },
  );

  it.each(['limit=1&limit=2', 'limit[]=1', 'cursor=x', 'offset=5', 'repoid=a/b/c', 'repoId=a/b/c&repoId=a/b/c'])(
    'and the rest cannot be asked for with ?%s',
    async (parameters) => {
      expect((await list(`?${parameters}`)).status).toBe(400);
    },
  );

  itLong('is not reached when reports are very large, but going on shows them all', async () => {
    await seed(40, 100); // 40 times 1 MB
    const first = await listed('?limit=500');
    const ids = await walk(500);
    expect([first.length, ids.length, new Set(ids).size]).toEqual([34, 40, 40]);
  });
});

describe('the reports of one repository', () => {
  const SPELLINGS = [
    'github.com/acme/shop',
    'github.com/acme/shop.git',
    'GitHub.com/Acme/Shop',
    'https://github.com/acme/shop',
    'https://github.com/acme/shop.git',
    'https://github.com/acme/shop/',
    'HTTPS://GITHUB.COM/ACME/SHOP.GIT/',
    'http://github.com/acme/shop',
    'https://github.com:443/acme/shop',
    'https://ada:secret@github.com/acme/shop.git',
    'git@github.com:acme/shop.git',
    'git@github.com:acme/shop',
    'ssh://git@github.com/acme/shop.git',
    'ssh://git@github.com:22/acme/shop',
    'git+ssh://git@github.com/acme/shop.git',
    'git://github.com/acme/shop.git',
  ];
  const STORED = ['https://github.com/acme/shop', 'git@github.com:Acme/Shop.git', 'ssh://git@github.com:22/acme/shop/'];

  it.each(SPELLINGS)('are found as %s, however they were stored', async (spelling) => {
    const ids: string[] = [];
    for (const repoUrl of STORED) ids.unshift(...(await reported(1, 1, { repoUrl })));
    await reported(1, 1, { repoUrl: 'https://github.com/acme/shop2' });
    await reported(1, 1, { repoUrl: 'https://gitlab.com/acme/shop' });
    expect(await ofRepository(spelling)).toEqual(ids);
  });

  it.each([
    ['https://gitlab.com/acme/web/front/shop', 'gitlab.com/acme/web/front/shop'],
    ['http://gitserver:3000/team/shop.git', 'gitserver/team/shop'],
    ['https://dev.azure.com/acme/My%20Project/_git/shop', 'dev.azure.com/acme/my%20project/_git/shop'],
  ])('at %s are found as %s', async (repoUrl, repoId) => {
    const ids = await reported(1, 0, { repoUrl });
    expect(await ofRepository(repoId)).toEqual(ids);
  });

  it.each(['github.com/acme/sho', 'github.com/acme/shop/web', 'github.com/acme/_hop', 'example.com/acme/shop'])(
    'are none as %s, which is another one',
    async (repoId) => {
      await reported(1, 0);
      expect(await ofRepository(repoId)).toEqual([]);
    },
  );

  it.each(['shop', 'acme/shop', 'https://github.com/acme', 'ftp://github.com/acme/shop', "' OR 1=1 --", '', '../..'])(
    'cannot be asked for as "%s"',
    async (repoId) => {
      const { status, body } = await list(`?repoId=${encodeURIComponent(repoId)}`);
      expect([status, body.errors[0].field]).toEqual([400, 'repoId']);
    },
  );
});

describe('one readiness report', () => {
  it('is shown as it was stored, with its level, its pillars and no changes when it is the first', async () => {
    const report = { lint_config: share(1, 2), readme: share(1, 1), our_own_rule: share(0, 3) };
    const stored = await givenReport(app, org.owner, { report, modelUsed: { id: 'm', reasoningEffort: 'high' } });
    const { status, body } = await read(stored.reportId);
    const nothing = (name: string) => ({ name, score: null, criteria: [] });
    expect([status, body]).toEqual([
      200,
      {
        ...stored,
        score: 0.5,
        level: 3,
        levelName: 'Standardized',
        pillars: [
          { name: 'Style & Validation', score: 0.5, criteria: ['lint_config'] },
          nothing('Build System'),
          nothing('Testing'),
          { name: 'Documentation', score: 1, criteria: ['readme'] },
          nothing('Development Environment'),
          nothing('Debugging & Observability'),
          nothing('Security'),
          nothing('Task Discovery'),
          nothing('Product & Experimentation'),
          { name: 'Other', score: 0, criteria: ['our_own_rule'] },
        ],
        changes: { previousReportId: null, added: [], removed: [], improved: [], worsened: [] },
      },
    ]);
  });

  it.each([
    [0, 1, 'Functional'],
    [1, 2, 'Documented'],
    [2, 3, 'Standardized'],
    [3, 4, 'Optimized'],
    [4, 5, 'Autonomous'],
    [5, 5, 'Autonomous'],
  ])('with %d of 5 has level %d, %s', async (numerator, level, levelName) => {
    const { reportId } = await givenReport(app, org.owner, { report: { readme: share(numerator, 5) } });
    const { body } = await read(reportId);
    expect([body.level, body.levelName]).toEqual([level, levelName]);
  });

  it('says what has changed since the one before', async () => {
    const before = { a: share(1, 2), b: share(1, 1), c: share(1, 2), gone: share(1, 1) };
    const after = { a: share(2, 2), b: share(0, 1), c: share(2, 4), fresh: share(0, 1) };
    const previous = await givenReport(app, org.owner, { report: before });
    clock.advance(1);
    const { reportId } = await givenReport(app, org.owner, { report: after, repoUrl: 'git@github.com:Acme/Shop.git' });
    const count = (numerator: number, denominator: number) => ({ numerator, denominator });
    expect((await read(reportId)).body.changes).toEqual({
      previousReportId: previous.reportId,
      added: [{ criterion: 'fresh', after: count(0, 1) }],
      removed: [{ criterion: 'gone', before: count(1, 1) }],
      improved: [{ criterion: 'a', before: count(1, 2), after: count(2, 2) }],
      worsened: [{ criterion: 'b', before: count(1, 1), after: count(0, 1) }],
    });
  });

  it('is compared with the one directly before it, in time and then by id', async () => {
    const apart = await reported(2, 1);
    const sameMoment = (await reported(2, 0)).sort().reverse();
    const [fourth, third, second, first] = [...sameMoment, ...apart];
    const previous = async (id = '') => (await read(id)).body.changes.previousReportId as string | null;
    expect(await Promise.all([fourth, third, second, first].map(previous))).toEqual([third, second, first, null]);
  });

  it('is compared neither with another repository nor with another organization', async () => {
    await givenReport(app, (await app.given.organization()).owner);
    await givenReport(app, org.owner, { repoUrl: 'https://github.com/acme/shop2' });
    clock.advance(1);
    const { reportId } = await givenReport(app, org.owner);
    expect((await read(reportId)).body.changes.previousReportId).toBeNull();
  });

  it('is there for members, whoever stored it, and by its id in capitals', async () => {
    const { reportId } = await givenReport(app, org.owner);
    const { status, body } = await read((reportId as string).toUpperCase(), await app.given.user(org));
    expect([status, body.reportId]).toEqual([200, reportId]);
  });

  it.each([REPORTS, REPORTS_ALIAS])('of another organization is at %s answered like none', async (path) => {
    const foreign = (await givenReport(app, (await app.given.organization()).owner)).reportId as string;
    const answers = [foreign, randomUUID()].map(async (id) => {
      const { status, body } = await app.as(org.owner).get(`${path}/${id}`);
      return [status, { ...body, requestId: '', detail: body.detail.replace(id, '') }];
    });
    const [first, second] = await Promise.all(answers);
    expect([first?.[0], first]).toEqual([404, second]);
  });

  it('takes no parameters', async () => {
    const { reportId } = await givenReport(app, org.owner);
    expect((await app.as(org.owner).get(`${REPORTS}/${reportId}?limit=1`)).status).toBe(400);
  });
});
