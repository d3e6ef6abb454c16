import type { GivenUser } from './given.js';
import { aggregate, ANALYTICS, event, report } from './given-usage.js';
import type { ReportedEvent } from './reported-events.js';
import type { TestApp } from './test-app.js';

export const NOW = '2026-06-01T08:00:00.000Z';
export const DAY = '2026-05-20';
export const RANGE = { startDate: '2026-05-19', endDate: '2026-05-21' };

export const pathOf = (path: string, fields: Record<string, string>) =>
  `${ANALYTICS}/${path}?${new URLSearchParams(fields).toString()}`;
export const keysOf = ({ body }: { body: { data: { key: string }[] } }) => body.data.map(({ key }) => key);
export const tool = (user: GivenUser, name: string) => event(user, 'tool_call', DAY, { tool: name });

/** What an owner asks about the days around `DAY`. */
export class Questions {
  constructor(
    private readonly app: TestApp,
    private readonly owner: GivenUser,
  ) {}

  async givenUsage(...events: ReportedEvent[]): Promise<void> {
    await report(this.app.as(this.owner), events);
    await aggregate(this.app);
  }

  ask(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    return this.app.as(this.owner).get(pathOf(path, { ...RANGE, ...fields }), headers);
  }

  breakdown(dimension: string, metric: string, fields: Record<string, string> = {}) {
    return this.ask('breakdown', { dimension, metric, ...fields });
  }
}
