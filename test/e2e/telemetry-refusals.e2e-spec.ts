import { newApiKey } from '../../src/common/access/api-key-format.js';
import type { GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';

const REFUSALS = '/api/v0/telemetry/refusals';
const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let user: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  user = await app.given.user(await app.given.organization());
});
afterAll(() => app.stop());

describe('telemetry with a key that nobody has', () => {
  const send = (key: string | null) => app.withBearer(key).post('/api/otlp/v1/logs', { resourceLogs: [] });

  it('is told to whoever asks from the same address, for ten minutes', async () => {
    expect((await app.as(user).get(REFUSALS)).body).toEqual({ refused: 0 });
    expect((await send(user.key)).status).toBe(200);
    expect((await app.as(user).get(REFUSALS)).body).toEqual({ refused: 0 });

    expect((await send(newApiKey())).status).toBe(401);
    expect((await send(null)).status).toBe(401);
    expect((await app.as(user).get(REFUSALS)).body).toEqual({
      refused: 2,
      lastRefusedAt: '2026-11-15T08:30:00.000Z',
      reason: expect.stringMatching(/./),
    });

    clock.advance(10 * 60_000 + 1);
    expect((await app.as(user).get(REFUSALS)).body).toEqual({ refused: 0 });
  });

  it('does not count what was refused for another reason', async () => {
    const { status } = await app.as(user).post('/api/otlp/v1/logs', { resourceLogs: 'none' });
    expect([status, (await app.as(user).get(REFUSALS)).body]).toEqual([400, { refused: 0 }]);
  });
});
