import type { UtcDay } from '../../common/time/utc-day.js';
import type { Assignment } from '../organization/teams/team-assignments.service.js';
import type { Employee } from './demo-history.js';
import { TEAM_NAMES } from './demo-vocabulary.js';

/** From the day on which they joined; two people changed teams since. */
export function teamsOf({ person, userId, joinedOn }: Employee, today: UtcDay): Assignment[] {
  const { team, moved } = person;
  const movedOn = moved && joinedOn.plus(Math.floor(moved.after * joinedOn.daysUntil(today)));
  if (!movedOn || !joinedOn.isBefore(movedOn)) {
    return [{ userId, team: TEAM_NAMES[team], from: joinedOn.toString(), to: null }];
  }
  return [
    { userId, team: TEAM_NAMES[moved.from], from: joinedOn.toString(), to: movedOn.plus(-1).toString() },
    { userId, team: TEAM_NAMES[team], from: movedOn.toString(), to: null },
  ];
}
