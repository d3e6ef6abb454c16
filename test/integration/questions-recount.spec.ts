import { randomUUID } from 'node:crypto';
import { DIMENSIONS } from '../../src/modules/analytics/questions/metrics.js';
import { expectOwnUsage, expectPerson } from '../support/expect-people.js';
import { expectBreakdown, expectSummary } from '../support/expect-questions.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenMembers, givenPrices, givenTeam, variedEvents } from '../support/given-questions.js';
import { aggregate, report, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { countedEvents } from '../support/naive-events.js';
import { type NaiveFilters, NaiveQuestions } from '../support/naive-questions.js';
import { daysBetween } from '../support/reported-events.js';
import type { TestApp } from '../support/test-app.js';

const RANGE: [string, string] = ['2026-02-10', '2026-02-15'];
const PREVIOUS: [string, string] = ['2026-02-03', '2026-02-08'];
const PAIRS = Object.entries(DIMENSIONS).flatMap(([dimension, { metrics }]) =>
  metrics.map((metric) => [dimension, metric] as const),
);
const TEAMS = [randomUUID(), randomUUID()].sort();
let app: TestApp;
let org: GivenOrganization;
let users: GivenUser[];
let naive: NaiveQuestions;

beforeAll(async () => {
  app = await startUsageApp({ clock: new ManualClock('2026-03-01T08:00:00.000Z') });
  org = await app.given.organization();
  users = [org.owner, await app.given.user(org), await app.given.user(org), await app.given.user(org)];
  const events = variedEvents(users, daysBetween(PREVIOUS[0], RANGE[1]));
  const [first = '', second = ''] = TEAMS;
  const members = [
    { userId: users[0]?.id ?? '', teamId: first, from: '2026-01-01', to: '2026-02-11' },
    { userId: users[0]?.id ?? '', teamId: second, from: '2026-02-13', to: null },
    { userId: users[1]?.id ?? '', teamId: second, from: '2026-02-05', to: null },
  ];
  await givenTeam(app.database.url, org, first, 'Platform');
  await givenTeam(app.database.url, org, second, 'Apps');
  await givenMembers(app.database.url, org, members);
  const prices = await givenPrices(app.database.url, org.id, '2026-02-13');
  await report(app.as(org.owner), events);
  await aggregate(app);
  naive = new NaiveQuestions(countedEvents(events), members, prices);
});
afterAll(() => app.stop());

/** Rows of two pages at least, compared with the week before. */
const expectRecount = (dimension: string, metric: string, filters: NaiveFilters = {}) =>
  expectBreakdown(app.as(org.owner), naive, {
    dimension,
    metric,
    range: RANGE,
    compare: 'previous',
    filters,
    limit: 2,
  });

describe('a recount of the same events gives', () => {
  it.each(PAIRS)('every row of %s by %s, page by page', async (dimension, metric) => {
    await expectRecount(dimension, metric);
  });

  it.each([
    ['model', 'cost'],
    ['user', 'cost'],
    ['team', 'tool_calls'],
    ['tool', 'count'],
    ['server', 'active_people'],
    ['client', 'active_people'],
  ])('the same of one user: %s by %s', async (dimension, metric) => {
    await expectRecount(dimension, metric, { user_id: users[1]?.id });
  });

  it.each([
    ['model', 'cost'],
    ['user', 'sessions'],
    ['team', 'active_people'],
    ['language', 'count'],
  ])('the same of a team, and of nobody’s: %s by %s', async (dimension, metric) => {
    await expectRecount(dimension, metric, { team_id: TEAMS[1] });
    await expectRecount(dimension, metric, { team_id: '(none)' });
  });

  it('the same of a client and of a model', async () => {
    await expectRecount('user', 'cost', { client: 'web', model: 'tiered' });
    await expectRecount('team', 'input_tokens', { client: 'terminal-ui' });
    await expectRecount('model', 'active_people', { client: 'web' });
    await expectRecount('client', 'billable_tokens', { model: 'changing' });
  });

  it.each(['previous', 'none'] as const)('every metric of the summary, compared with %s', async (compare) => {
    await expectSummary(app.as(org.owner), naive, RANGE, compare);
  });

  it('every day, model and tool of a person, also to themselves', async () => {
    const user = users[2] as GivenUser;
    await expectPerson(app.as(org.owner), naive, user, RANGE);
    await expectOwnUsage(app.as(user), naive, user, RANGE, '2026-03-01');
  });
});
