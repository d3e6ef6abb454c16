import { ManualClock } from '../support/manual-clock.js';
import { query } from '../support/test-database.js';
import { TestApp } from '../support/test-app.js';

describe('GET /api/v0/me', () => {
  const clock = new ManualClock('2026-11-15T08:30:00.000Z');
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
  });
  afterAll(() => app.stop());

  it('tells user, role, organization, limit and usage', async () => {
    const org = await app.given.organization();
    const { status, body } = await app.as(org.owner).get('/api/v0/me');

    expect(status).toBe(200);
    expect(body).toEqual({
      user: {
        id: org.owner.id,
        email: org.owner.email,
        createdAt: '2026-11-15T08:30:00.000Z',
        metadata: {},
        firstName: '',
        lastName: '',
        lastSignInAt: '2026-11-15T08:00:00.000Z',
      },
      role: 'owner',
      organization: { id: org.id, name: org.name, demo: false },
      usage: { limit: null, used: 0, resetsAt: '2026-12-01T00:00:00.000Z' },
    });
  });

  it('shows the credit limit and what was used of it this month', async () => {
    const org = await app.given.organization();
    const keys = [org.id, org.owner.id];
    await query(app.database.url, `INSERT INTO user_credit_limits VALUES ($1, $2, 5000, now())`, keys);
    await query(app.database.url, `INSERT INTO user_month_usage VALUES ($1, $2, '2026-11-01', 1234)`, keys);
    await query(app.database.url, `INSERT INTO user_month_usage VALUES ($1, $2, '2026-10-01', 999)`, keys);

    const { body } = await app.as(org.owner).get('/api/v0/me');

    expect(body.usage).toEqual({ limit: 5000, used: 1234, resetsAt: '2026-12-01T00:00:00.000Z' });
  });
});
