import type { AnalyticsRange } from './analytics-range.js';
import type { ClientUsers, StoredActivity } from './analytics.repository.js';
import type { Piece } from './answer-format.js';
import { zeroActivity } from './zero-rows.js';

/** Zero rows for the days before the first stored one, then the stored rows. */
export function activityOf(range: AnalyticsRange, stored: StoredActivity | null): Piece {
  const rows: string[] = [];
  for (const day of range.days()) {
    if (stored && stored.firstDay <= day.toString()) break;
    rows.push(JSON.stringify(zeroActivity(day)));
  }
  return { rows: stored ? [...rows, stored.rows] : rows, isSingle: false };
}

export function activityByClient(days: ClientUsers[]): Piece {
  return { rows: days.flatMap(clientRows).map((row) => JSON.stringify(row)), isSingle: true };
}

function clientRows({ day, headlessUsers, terminalUiUsers, webUsers }: ClientUsers): object[] {
  const clients = { 'non-interactive-cli': headlessUsers, 'terminal-ui': terminalUiUsers, web: webUsers };
  return Object.entries(clients)
    .filter(([, users]) => users > 0)
    .map(([client, users]) => ({ date: day, group_key: client, daily_active_users: users }));
}
