import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import { newReport, REPORTS, REPORTS_ALIAS, share } from '../support/given-report.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const NOW_MS = Date.parse('2026-11-15T08:30:00.000Z');
const log: string[] = [];
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start({ clock: new ManualClock(new Date(NOW_MS)), onLog: (line) => log.push(line) });
});
beforeEach(async () => {
  org = await app.given.organization();
});
afterAll(() => app.stop());

const upload = (changes: object = {}, by: GivenUser = org.owner) =>
  app.as(by).post(REPORTS, { ...newReport(), ...changes });
const stored = async (): Promise<unknown[]> => (await app.as(org.owner).get(`${REPORTS}?limit=500`)).body.reports;
const criteria = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, share(1, 1)]));
const apps = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, { description: '' }]));

const COMPLETE = {
  ...newReport(),
  commitHash: '0123456789abcdef0123456789abcdef01234567',
  branch: 'main',
  hasLocalChanges: false,
  hasNonRemoteCommits: true,
  modelUsed: { id: 'model-a', reasoningEffort: 'off' },
  agentVersion: '0.62.1',
};

describe('storing a readiness report', () => {
  it('answers with all that was sent, an id and the time, and keeps it', async () => {
    const { status, body } = await upload(COMPLETE);
    expect([status, body]).toEqual([
      201,
      { ...COMPLETE, reportId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/), createdAt: NOW_MS },
    ]);
    expect(await stored()).toEqual([body]);
  });

  it('leaves out what was not sent', async () => {
    const { body } = await upload();
    expect(Object.keys(body).sort()).toEqual(['apps', 'createdAt', 'repoUrl', 'report', 'reportId']);
    expect(await stored()).toEqual([body]);
  });

  it('keeps the order of the criteria', async () => {
    const report = { zeta: share(1, 1), readme: share(0, 1), a: share(1, 2), lint_config: share(1, 1) };
    await upload({ report });
    const [kept] = (await stored()) as [{ report: object }];
    expect(Object.keys(kept.report)).toEqual(Object.keys(report));
  });

  it.each(['size', 'get', 'set', 'has', 'keys', 'values', 'entries', 'forEach', 'delete', 'clear', 'then', 'length'])(
    'keeps the key "%s" like any other',
    async (key) => {
      const sent = { report: { [key]: share(1, 3) }, apps: { [key]: { description: key } } };
      const { status, body } = await upload(sent);
      expect([status, body]).toMatchObject([201, sent]);
      expect(await stored()).toEqual([body]);
    },
  );

  it.each(['low', 'medium', 'high', 'off'])('takes the reasoning effort %s', async (reasoningEffort) => {
    const { body } = await upload({ modelUsed: { id: 'model-a', reasoningEffort } });
    expect(body.modelUsed).toEqual({ id: 'model-a', reasoningEffort });
  });

  it.each([
    'git@github.com:acme/shop.git',
    'ssh://git@github.com:22/acme/shop',
    'HTTPS://GitHub.com/Acme/Shop.git/',
    'http://gitserver:3000/team/shop',
    'https://gitlab.com/acme/web/front/shop',
    'github.com/acme/shop',
  ])('takes the URL %s and shows it as it was sent', async (repoUrl) => {
    const { status, body } = await upload({ repoUrl });
    expect([status, body.repoUrl]).toEqual([201, repoUrl]);
  });

  it.each([Role.Owner, Role.Manager, Role.Member])('is open to a %s', async (role) => {
    expect((await upload({}, await app.given.user(org, { role }))).status).toBe(201);
  });

  it('is 403 for a guest', async () => {
    const guest = await app.given.user(org, { role: Role.Guest });
    expect([(await upload({}, guest)).status, await stored()]).toEqual([403, []]);
  });
});

describe('a report', () => {
  it.each<[string, object]>([
    ['no applications', { apps: {} }],
    ['500 applications', { apps: apps(500) }],
    ['a path of 1,000 characters', { apps: { ['中'.repeat(1000)]: { description: '' } } }],
    ['a description of 2,000 characters', { apps: { '.': { description: '👩'.repeat(2000) } } }],
    ['500 criteria', { report: criteria(500) }],
    ['a criterion id of 100 characters', { report: { ['👩'.repeat(100)]: share(0, 1) } }],
    ['a rationale of 10,000 characters', { report: { readme: share(0, 1, '👩'.repeat(10_000)) } }],
    ['an empty rationale', { report: { readme: share(0, 1, '') } }],
    ['a denominator of a million', { report: { readme: share(1_000_000, 1_000_000) } }],
    ['a commit hash of 64 characters', { commitHash: 'f'.repeat(64) }],
    ['a branch of 500 characters', { branch: 'b'.repeat(500) }],
    ['a version of 100 characters', { agentVersion: 'v'.repeat(100) }],
    ['a model id of 200 characters', { modelUsed: { id: 'm'.repeat(200), reasoningEffort: 'low' } }],
    ['a URL of 1,000 characters', { repoUrl: 'https://github.com/acme/'.padEnd(1000, 'x') }],
  ])('may have %s', async (_, changes) => {
    const { status, body } = await upload(changes);
    expect([status, body]).toMatchObject([201, changes]);
    expect(await stored()).toEqual([body]);
  });

  it.each<[string, object, string]>([
    ['no URL', { repoUrl: undefined }, 'repoUrl'],
    ['null for a URL', { repoUrl: null }, 'repoUrl'],
    ['an empty URL', { repoUrl: '' }, 'repoUrl'],
    ['a word for a URL', { repoUrl: 'shop' }, 'repoUrl'],
    ['a path for a URL', { repoUrl: 'src/modules/readiness' }, 'repoUrl'],
    ['an owner without a repository', { repoUrl: 'https://github.com/acme' }, 'repoUrl'],
    ['a URL of another kind', { repoUrl: 'ftp://github.com/acme/shop' }, 'repoUrl'],
    ['a file for a URL', { repoUrl: 'file:///srv/git/acme/shop' }, 'repoUrl'],
    ['a URL with a query', { repoUrl: 'https://github.com/acme/shop?a=b' }, 'repoUrl'],
    ['a URL with spaces', { repoUrl: ' https://github.com/acme/shop' }, 'repoUrl'],
    ['a URL of 1,001 characters', { repoUrl: 'https://github.com/acme/'.padEnd(1001, 'x') }, 'repoUrl'],
    ['a URL that would be too long a key', { repoUrl: `https://github.com/acme/${'é'.repeat(900)}` }, 'repoUrl'],
    ['no applications at all', { apps: undefined }, 'apps'],
    ['null for applications', { apps: null }, 'apps'],
    ['a list of applications', { apps: [] }, 'apps'],
    ['501 applications', { apps: apps(501) }, 'apps'],
    ['an empty path', { apps: { '': { description: '' } } }, 'apps'],
    ['a path of 1,001 characters', { apps: { ['x'.repeat(1001)]: { description: '' } } }, 'apps'],
    ['an application that is null', { apps: { web: null } }, 'apps.web'],
    ['an application that is a text', { apps: { web: 'Web shop' } }, 'apps.web'],
    ['an application that is a list', { apps: { web: [] } }, 'apps.web'],
    ['an application without a description', { apps: { web: {} } }, 'apps.web.description'],
    ['a description that is a number', { apps: { web: { description: 5 } } }, 'apps.web.description'],
    ['a description of 2,001 characters', { apps: { web: { description: 'x'.repeat(2001) } } }, 'apps.web.description'],
    ['an application with an unknown field', { apps: { web: { description: '', url: 'x' } } }, 'apps.web.url'],
    ['no criteria at all', { report: undefined }, 'report'],
    ['null for criteria', { report: null }, 'report'],
    ['a list of criteria', { report: [share(1, 1)] }, 'report'],
    ['no criterion', { report: {} }, 'report'],
    ['501 criteria', { report: criteria(501) }, 'report'],
    ['an empty criterion id', { report: { '': share(1, 1) } }, 'report'],
    ['a criterion id of 101 characters', { report: { ['x'.repeat(101)]: share(1, 1) } }, 'report'],
    ['a criterion that is null', { report: { readme: null } }, 'report.readme'],
    ['a criterion that is a number', { report: { readme: 1 } }, 'report.readme'],
    ['a criterion that is a list', { report: { readme: [1, 1] } }, 'report.readme'],
    ['a criterion with an unknown field', { report: { readme: { ...share(1, 1), score: 1 } } }, 'report.readme.score'],
    ['a numerator above the denominator', { report: { lint_config: share(3, 2) } }, 'report.lint_config.numerator'],
    ['a numerator below 0', { report: { lint_config: share(-1, 2) } }, 'report.lint_config.numerator'],
    ['a numerator that is not whole', { report: { lint_config: share(0.5, 2) } }, 'report.lint_config.numerator'],
    ['a numerator that is null', { report: { lint_config: share(null, 2) } }, 'report.lint_config.numerator'],
    ['a numerator that is a text', { report: { lint_config: share('1', 2) } }, 'report.lint_config.numerator'],
    ['no numerator', { report: { lint_config: share(undefined, 2) } }, 'report.lint_config.numerator'],
    ['a denominator of 0', { report: { lint_config: share(0, 0) } }, 'report.lint_config.denominator'],
    ['a denominator below 0', { report: { lint_config: share(0, -1) } }, 'report.lint_config.denominator'],
    ['a denominator that is not whole', { report: { lint_config: share(1, 1.5) } }, 'report.lint_config.denominator'],
    [
      'a denominator above a million',
      { report: { lint_config: share(1, 1_000_001) } },
      'report.lint_config.denominator',
    ],
    ['a denominator that is a text', { report: { lint_config: share(1, '2') } }, 'report.lint_config.denominator'],
    ['no denominator', { report: { lint_config: share(1, undefined) } }, 'report.lint_config.denominator'],
    ['no rationale', { report: { readme: { numerator: 1, denominator: 1 } } }, 'report.readme.rationale'],
    ['a rationale that is null', { report: { readme: share(1, 1, null) } }, 'report.readme.rationale'],
    [
      'a rationale of 10,001 characters',
      { report: { readme: share(1, 1, 'x'.repeat(10_001)) } },
      'report.readme.rationale',
    ],
    ['an empty commit hash', { commitHash: '' }, 'commitHash'],
    ['a commit hash of 65 characters', { commitHash: 'f'.repeat(65) }, 'commitHash'],
    ['null for a commit hash', { commitHash: null }, 'commitHash'],
    ['an empty branch', { branch: '' }, 'branch'],
    ['a branch of 501 characters', { branch: 'b'.repeat(501) }, 'branch'],
    ['a text for a flag', { hasLocalChanges: 'true' }, 'hasLocalChanges'],
    ['null for a flag', { hasNonRemoteCommits: null }, 'hasNonRemoteCommits'],
    ['a model without an id', { modelUsed: { reasoningEffort: 'low' } }, 'modelUsed.id'],
    ['an empty model id', { modelUsed: { id: '', reasoningEffort: 'low' } }, 'modelUsed.id'],
    ['a model id of 201 characters', { modelUsed: { id: 'm'.repeat(201), reasoningEffort: 'low' } }, 'modelUsed.id'],
    ['a model without an effort', { modelUsed: { id: 'm' } }, 'modelUsed.reasoningEffort'],
    ['an unknown effort', { modelUsed: { id: 'm', reasoningEffort: 'none' } }, 'modelUsed.reasoningEffort'],
    ['an unknown field of the model', { modelUsed: { id: 'm', reasoningEffort: 'low', x: 1 } }, 'modelUsed.x'],
    ['an empty version', { agentVersion: '' }, 'agentVersion'],
    ['a version of 101 characters', { agentVersion: 'v'.repeat(101) }, 'agentVersion'],
    ['an id', { reportId: randomUUID() }, 'reportId'],
    ['a time', { createdAt: NOW_MS }, 'createdAt'],
    ['a level', { level: 5 }, 'level'],
    ['an organization', { orgId: randomUUID() }, 'orgId'],
  ])('cannot have %s', async (_, changes, field) => {
    const { status, body } = await upload(changes);
    expect([status, body.errors[0].field, await stored()]).toEqual([400, field, []]);
  });

  it('is refused with everything that is wrong with it, each criterion by its name', async () => {
    const report = { readme: share(2, 1), lint_config: share(1, 0), skills: share(1, 1) };
    const { body } = await upload({ report, branch: '' });
    expect(body.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
      'branch',
      'report.lint_config.denominator',
      'report.lint_config.numerator',
      'report.readme.numerator',
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'cannot have "%s" for a criterion or an application',
    async (key) => {
      for (const map of ['report', 'apps']) {
        const text = JSON.stringify({ ...newReport(), [map]: 0 }).replace(
          `"${map}":0`,
          `"${map}":{"${key}":${JSON.stringify({ ...share(1, 1), description: '' })}}`,
        );
        const { status, body } = await app.as(org.owner).post(REPORTS, text);
        expect([status, body.errors[0].field]).toEqual([400, key]);
      }
      expect(await stored()).toEqual([]);
    },
  );
});

describe('a URL with a secret in it', () => {
  const SECRET = 'canary-7f3c2b1a';

  it.each([
    `https://ada:${SECRET}@github.com/acme/shop.git`,
    `https://${SECRET}@github.com/acme/shop.git`,
    `https://x-access-token:${SECRET}@github.com/acme/shop.git`,
    `ssh://git:${SECRET}@github.com/acme/shop.git`,
    `git:${SECRET}@github.com:acme/shop.git`,
    `https://github.com/acme/shop?access_token=${SECRET}`,
  ])('is 400, neither stored nor repeated nor logged: %s', async (repoUrl) => {
    const { status, body, text } = await upload({ repoUrl });
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, ['repoUrl']]);
    expect(text).not.toContain(SECRET);
    const rows = await query(app.database.url, `SELECT r.repo_url FROM readiness_reports r WHERE r.repo_url ~ $1`, [
      SECRET,
    ]);
    expect(rows).toEqual([]);
    expect(log.filter((line) => line.includes(SECRET))).toEqual([]);
  });

  it('is understood in a query and does not reach the log', async () => {
    const { body } = await upload();
    const url = encodeURIComponent(`https://ada:${SECRET}@github.com/acme/shop.git`);
    expect((await app.as(org.owner).get(`${REPORTS}?repoId=${url}`)).body).toEqual({ reports: [body] });
    expect(log.length).toBeGreaterThan(0);
    expect(log.filter((line) => line.includes(SECRET))).toEqual([]);
  });
});

describe('a report with an Idempotency-Key', () => {
  const send = (key: string, body: object = newReport(), path = REPORTS) =>
    app.as(org.owner).post(path, body, { 'Idempotency-Key': key });

  it('is stored once and answered alike when it is sent again', async () => {
    const [first, second] = [await send('k'), await send('k')];
    expect([second.status, second.text, await stored()]).toEqual([201, first.text, [first.body]]);
  });

  it('is stored once when it is sent ten times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('k', COMPLETE)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(201));
    expect(await stored()).toEqual([answers[0]?.body]);
  });

  it('is the same under both names of the resource', async () => {
    const [first, second] = [await send('k'), await send('k', newReport(), REPORTS_ALIAS)];
    expect([second.status, second.text, await stored()]).toEqual([201, first.text, [first.body]]);
  });

  it.each<[string, object]>([
    ['a rationale', { report: { lint_config: share(1, 2, 'Another.'), readme: share(1, 1) } }],
    ['a numerator', { report: { lint_config: share(2, 2), readme: share(1, 1) } }],
    ['the id of a criterion', { report: { lint_config: share(1, 2), skills: share(1, 1) } }],
    ['a criterion', { report: { lint_config: share(1, 2) } }],
    [
      'a description',
      { apps: { 'apps/web': { description: 'Another' }, 'apps/worker': newReport().apps['apps/worker'] } },
    ],
    ['the repository', { repoUrl: 'https://github.com/acme/other' }],
  ])('is 409 when %s differs', async (_, changes) => {
    const { body } = await send('k');
    const { status } = await send('k', { ...newReport(), ...changes });
    expect([status, await stored()]).toEqual([409, [body]]);
  });

  it('counts as the same whatever the order of its criteria', async () => {
    const { report } = newReport();
    const reversed = Object.fromEntries(Object.entries(report).reverse());
    const [first, second] = [await send('k'), await send('k', { ...newReport(), report: reversed })];
    expect([second.status, second.text]).toEqual([201, first.text]);
  });

  it('leaves the key free when it is refused', async () => {
    await send('k', { ...newReport(), report: {} });
    expect((await send('k')).status).toBe(201);
  });
});
