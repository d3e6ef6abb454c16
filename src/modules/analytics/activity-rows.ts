import type { UtcDay } from '../../common/time/utc-day.js';
import type { ActivityDay } from './analytics.repository.js';

export const zeroActivity = (day: UtcDay) => activityRow(day, undefined);
export const zeroActivityGroup = { date: '', group_key: '', daily_active_users: 0 };

export function activityRow(day: UtcDay, row: ActivityDay | undefined) {
  return {
    date: day.toString(),
    daily_active_users: row?.dailyUsers ?? 0,
    weekly_active_users: row?.weeklyUsers ?? 0,
    monthly_active_users: row?.monthlyUsers ?? 0,
    daily_active_users_by_client: {
      'terminal-ui': row?.terminalUiUsers ?? 0,
      web: row?.webUsers ?? 0,
      'non-interactive-cli': row?.headlessUsers ?? 0,
    },
    sessions: row?.sessions ?? 0,
    messages: (row?.userMessages ?? 0) + (row?.assistantMessages ?? 0),
    user_messages: row?.userMessages ?? 0,
  };
}

/** One row for each client that was used, by its name. */
export function activityByClient(row: ActivityDay | undefined): object[] {
  if (!row) return [];
  const clients = {
    'non-interactive-cli': row.headlessUsers,
    'terminal-ui': row.terminalUiUsers,
    web: row.webUsers,
  };
  return Object.entries(clients)
    .filter(([, users]) => users > 0)
    .map(([client, users]) => ({ date: row.day, group_key: client, daily_active_users: users }));
}
