import type { UtcDay } from '../../common/time/utc-day.js';
import type { ActivityDayRow, ActivityGroupRow } from './analytics.dto.js';
import { PRODUCTIVITY_ROW, TOOL_ROW, TOOLS_ROW } from './aggregation/documents/day-rows.sql.js';
import { type RowShape, zeroOf } from './aggregation/documents/row-shape.js';
import { MODEL_ROW, TOKEN_TOTALS_ROW, TOKENS_ROW } from './aggregation/documents/token-rows.sql.js';
import { USER_ROW } from './aggregation/documents/user-rows.sql.js';

/** Rows of days without events. */

const zeroDay = <Row extends { date: string }>(shape: RowShape<Row>) => {
  const zero = zeroOf(shape);
  return (day: UtcDay): Row => ({ ...zero, date: day.toString() });
};

export const zeroTokenTotals = zeroDay(TOKEN_TOTALS_ROW);
export const zeroTokens = zeroDay(TOKENS_ROW);
export const zeroTools = zeroDay(TOOLS_ROW);
export const zeroProductivity = zeroDay(PRODUCTIVITY_ROW);

export const zeroActivity = (day: UtcDay) =>
  ({
    date: day.toString(),
    daily_active_users: 0,
    weekly_active_users: 0,
    monthly_active_users: 0,
    daily_active_users_by_client: { 'terminal-ui': 0, web: 0, 'non-interactive-cli': 0 },
    sessions: 0,
    messages: 0,
    user_messages: 0,
  }) satisfies ActivityDayRow;

/* Days without activity have no rows of these; only their fields are used. */
export const zeroActivityGroup: ActivityGroupRow = { date: '', group_key: '', daily_active_users: 0 };
export const zeroTokenGroup = zeroOf(MODEL_ROW);
export const zeroToolGroup = zeroOf(TOOL_ROW);
export const zeroUser = zeroOf(USER_ROW);
