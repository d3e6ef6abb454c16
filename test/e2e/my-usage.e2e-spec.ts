import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { modelCall, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { DAY, NOW, Questions, tool } from '../support/questions.js';
import type { TestApp } from '../support/test-app.js';

const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;
let questions: Questions;

beforeAll(async () => {
  app = await startUsageApp({ clock });
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
  owner = org.owner;
  questions = new Questions(app, org.owner);
});
afterAll(() => app.stop());

describe('/api/v0/me/usage', () => {
  const mine = (user: GivenUser, endDate = '2026-05-21') =>
    app.as(user).get(`/api/v0/me/usage?startDate=2026-05-19&endDate=${endDate}`);

  it('shows members their own figures and nobody else’s', async () => {
    const member = await app.given.user(org);
    await questions.givenUsage(modelCall(member, DAY), tool(member, 'Read'), tool(owner, 'Edit'), tool(owner, 'Edit'));
    const { status, body } = await mine(member);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      startDate: '2026-05-19',
      endDate: '2026-05-21',
      totals: { modelCalls: 1, inputTokens: 100, toolCalls: 1, activeDays: 1 },
      models: [{ modelId: 'sonnet', modelCalls: 1 }],
      tools: [{ tool: 'Read', count: 1 }],
      currency: 'USD',
    });
    expect(body.days.map(({ date, toolCalls, final }: never) => [date, toolCalls, final])).toEqual([
      ['2026-05-19', 0, true],
      ['2026-05-20', 1, true],
      ['2026-05-21', 0, true],
    ]);
  });

  it('may end today, but not later, and is refused to guests', async () => {
    const today = await mine(owner, '2026-06-01');
    expect(today.status).toBe(200);
    expect(today.body.days.at(-1)).toMatchObject({ date: '2026-06-01', final: false });
    const tomorrow = await mine(owner, '2026-06-02');
    expect(tomorrow.body.errors).toEqual([{ field: 'endDate', message: 'must not be after 2026-06-01' }]);
    expect((await mine(await app.given.user(org, { role: Role.Guest }))).status).toBe(403);
  });
});
