import type { ApiClient } from '../support/api-client.js';
import { givenReport, share } from '../support/given-report.js';
import type { GivenOrganization } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';

const REPOSITORIES = '/api/organization/readiness/repositories';
const CRITERIA = '/api/organization/readiness/criteria';
const REPORTS = '/api/organization/agent-readiness-reports';
const clock = new ManualClock('2026-11-15T08:30:00.000Z');

let app: TestApp;
let org: GivenOrganization;
let owner: ApiClient;

beforeAll(async () => {
  app = await TestApp.start({ clock });
});
beforeEach(async () => {
  org = await app.given.organization();
  owner = app.as(org.owner);
});
afterAll(() => app.stop());

type Shares = Record<string, [number, number]>;

/** Later than the one before. */
async function report(repository: string, shares: Shares): Promise<string> {
  clock.advance(1_000);
  const entries = Object.entries(shares).map(([id, [met, all]]) => [id, share(met, all, `${met} of ${all}`)]);
  const body = { repoUrl: `https://github.com/acme/${repository}`, report: Object.fromEntries(entries) };
  return (await givenReport(app, org.owner, body)).reportId;
}

async function walk(path: string, list: string, limit: number): Promise<Record<string, unknown>[]> {
  const seen: Record<string, unknown>[] = [];
  for (let query = `?limit=${limit}`; query !== '';) {
    const { body } = await owner.get(path + query);
    expect(body[list].length).toBeLessThanOrEqual(limit);
    seen.push(...body[list]);
    query = body.pagination.hasMore ? `?limit=${limit}&cursor=${body.pagination.nextCursor}` : '';
  }
  return seen;
}

describe('the repositories', () => {
  it('show the newest report, what has changed, and the trend', async () => {
    const first = await report('shop', { lint_config: [0, 2], readme: [1, 1], agents_md: [1, 1] });
    const firstAt = clock.now().toISOString();
    const second = await report('SHOP.git', { lint_config: [1, 2], readme: [0, 1], skills: [0, 1] });
    const { body } = await owner.get(REPOSITORIES);
    const previous = { reportId: first, createdAt: firstAt, level: 4, levelName: 'Optimized', score: 0.666666666667 };
    const newest = {
      reportId: second,
      createdAt: clock.now().toISOString(),
      level: 1,
      levelName: 'Functional',
      score: 0.166666666667,
    };
    expect(body).toEqual({
      repositories: [
        {
          repoId: 'github.com/acme/shop',
          repoUrl: 'https://github.com/acme/SHOP.git',
          ...newest,
          criteria: 3,
          failing: 3,
          previous,
          scoreChange: -0.5,
          improved: 1,
          worsened: 1,
          trend: [previous, newest],
        },
      ],
      pagination: { hasMore: false },
    });
  });

  it('have the level and score of the report itself', async () => {
    const reportId = await report('shop', { a: [1, 10], b: [7, 10], c: [1, 3] });
    const { body } = await owner.get(REPOSITORIES);
    const { body: detail } = await owner.get(`${REPORTS}/${reportId}`);
    const { level, levelName, score } = detail;
    expect(body.repositories[0]).toMatchObject({ reportId, level, levelName, score });
  });

  it('with one report have nothing to compare', async () => {
    await report('shop', { readme: [1, 1] });
    const { body } = await owner.get(REPOSITORIES);
    expect(body.repositories[0]).toMatchObject({ failing: 0, scoreChange: null, improved: 0, worsened: 0 });
    expect(body.repositories[0]).not.toHaveProperty('previous');
  });

  it('show at most ten reports in their trend', async () => {
    for (let i = 0; i <= 10; i++) await report('shop', { readme: [i, 10] });
    const { body } = await owner.get(REPOSITORIES);
    const scores = body.repositories[0].trend.map(({ score }: { score: number }) => score);
    expect(scores).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
  });

  it.each([1, 2, 3, 100])('are listed by name to the end, %d at a time', async (limit) => {
    for (const name of ['c', 'a', 'e', 'b', 'd']) await report(name, { readme: [1, 1] });
    const seen = await walk(REPOSITORIES, 'repositories', limit);
    expect(seen.map(({ repoId }) => repoId)).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((name) => `github.com/acme/${name}`),
    );
  });

  it('of another organization are not shown', async () => {
    await report('shop', { readme: [1, 1] });
    const other = await app.given.organization();
    expect((await app.as(other.owner).get(REPOSITORIES)).body.repositories).toEqual([]);
    expect((await app.as(other.owner).get(CRITERIA)).body.criteria).toEqual([]);
  });

  it.each(['limit=0', 'limit=101', 'cursor=x', 'repoId=a'])('with ?%s are 400', async (query) => {
    expect((await owner.get(`${REPOSITORIES}?${query}`)).status).toBe(400);
  });
});

describe('the criteria', () => {
  beforeEach(async () => {
    await report('shop', { readme: [1, 1], own_rule: [1, 1] });
    await report('shop', { readme: [0, 1], lint_config: [1, 2] });
    await report('blog', { readme: [1, 1], lint_config: [2, 2] });
  });

  it('are those of the newest reports, with how many repositories meet them', async () => {
    expect((await owner.get(CRITERIA)).body).toEqual({
      criteria: [
        { criterion: 'lint_config', pillar: 'Style & Validation', repositories: 2, met: 1, failing: 1 },
        { criterion: 'readme', pillar: 'Documentation', repositories: 2, met: 1, failing: 1 },
      ],
      pagination: { hasMore: false },
    });
  });

  it('are listed to the end', async () => {
    await report('api', { Zeta: [1, 1], alpha: [0, 1], 'ä b': [0, 1] });
    const seen = await walk(CRITERIA, 'criteria', 2);
    expect(seen.map(({ criterion }) => criterion)).toEqual(['Zeta', 'alpha', 'lint_config', 'readme', 'ä b']);
  });

  it('say for each repository how far they are met and why', async () => {
    const { body } = await owner.get(`${CRITERIA}/readme`);
    expect(body).toMatchObject({
      criterion: 'readme',
      pillar: 'Documentation',
      repositories: [
        { repoId: 'github.com/acme/blog', numerator: 1, denominator: 1, rationale: '1 of 1' },
        {
          repoId: 'github.com/acme/shop',
          numerator: 0,
          denominator: 1,
          rationale: '0 of 1',
          before: { numerator: 1, denominator: 1 },
        },
      ],
    });
    expect(body.repositories[0]).not.toHaveProperty('before');
    const seen = await walk(`${CRITERIA}/readme`, 'repositories', 1);
    expect(seen).toEqual(body.repositories);
  });

  it('that no newest report evaluates are 404', async () => {
    expect((await owner.get(`${CRITERIA}/own_rule`)).status).toBe(404);
    expect((await owner.get(`${CRITERIA}/'%20OR%20true`)).status).toBe(404);
  });

  it.each(['%00', 'x'.repeat(101)])('with the id %j are 400', async (id) => {
    expect((await owner.get(`${CRITERIA}/${id}`)).status).toBe(400);
  });

  it('of another organization are 404', async () => {
    const other = await app.given.organization();
    expect((await app.as(other.owner).get(`${CRITERIA}/readme`)).status).toBe(404);
  });
});
