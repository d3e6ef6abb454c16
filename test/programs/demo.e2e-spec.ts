import { Playground } from '../support/program.js';

const DAY_MS = 24 * 60 * 60_000;
const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);

describe('`cli demo`', () => {
  const place = new Playground();
  const cli = (...args: string[]) => place.program('cli.js', args, { ANALYTICS_FIRST_DAY: day(3), LOG_FORMAT: 'json' });
  afterAll(() => place.remove());

  it('works before the first start, shows progress, and prints a key and where to look', async () => {
    const { code, output } = await cli('demo').ended();
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^Newest weeks: 100 %$/m) });
    expect(output).toMatch(/^apk_\w{49}$/m);
    expect(output).toContain(`/api/v1/analytics/activity?startDate=${day(3)}&endDate=${day(1)}`);
    expect(output).toMatch(/^"Demo" has an invented history from/m);
  }, 60_000);

  it('leaves the first start its organization, and its key works in the service', async () => {
    const service = place.service();
    const url = await service.ready(60_000);
    expect(service.output).toContain('A first organization "My organization" was created');
    const { output } = await cli('demo').ended();
    const key = /^apk_\w{49}$/m.exec(output)?.[0] ?? '';
    const me = () => fetch(`${url}/api/v0/me`, { headers: { authorization: `Bearer ${key}` } });
    expect(await (await me()).json()).toMatchObject({ role: 'owner', organization: { name: 'Demo' } });

    const removed = await cli('demo', '--remove').ended();
    expect(removed).toMatchObject({ code: 0, output: expect.stringContaining('The organization "Demo" is removed') });
    expect((await me()).status).toBe(401);
    service.signal('SIGTERM');
    await service.ended();
  }, 90_000);
});
