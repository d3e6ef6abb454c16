import type { ApiClient } from './api-client.js';
import { ANALYTICS } from './given-usage.js';
import { NaiveRecount } from './naive-recount.js';
import { daysBetween } from './reported-events.js';

const REPORTS = [
  ['tokens', 'tokens', ''],
  ['tokensByModel', 'tokens', '&group_by=model'],
  ['tools', 'tools', ''],
  ['toolsByName', 'tools', '&group_by=tool_name'],
  ['activity', 'activity', ''],
  ['activityByClient', 'activity', '&group_by=client'],
  ['productivity', 'productivity', ''],
] as const;

/** Fails unless every endpoint, with and without grouping, matches a recount of the events. */
export async function expectRecount(
  client: ApiClient,
  recount: NaiveRecount,
  { start, end, limit = 2 }: { start: string; end: string; limit?: number },
): Promise<void> {
  const days = daysBetween(start, end);
  const checks = REPORTS.map(async ([report, path, group]) => {
    const { body } = await client.get(`${ANALYTICS}/${path}?startDate=${start}&endDate=${end}${group}`);
    expect({ report, rows: body.data }).toEqual({ report, rows: recount[report](days) });
  });
  await Promise.all(checks);
  const rows = await allUserRows(client, `startDate=${start}&endDate=${end}`, limit);
  expect({ report: 'users', rows }).toEqual({ report: 'users', rows: recount.users(days) });
}

/** All pages of `/users`; checks each page. */
export async function allUserRows(client: ApiClient, range: string, limit: number): Promise<object[]> {
  const rows: { user_id: string }[] = [];
  let after = '';
  for (;;) {
    const { body } = await client.get(`${ANALYTICS}/users?${range}&limit=${limit}${after && `&cursor=${after}`}`);
    rows.push(...body.data);
    const users = [...new Set<string>(body.data.map((row: { user_id: string }) => row.user_id))];
    expect(users.length).toBeLessThanOrEqual(limit);
    if (!body.meta.has_more) {
      expect(body.meta).not.toHaveProperty('next_cursor');
      return rows;
    }
    expect(users).toHaveLength(limit);
    expect(body.meta.next_cursor).toBe(users.at(-1));
    after = body.meta.next_cursor;
  }
}
