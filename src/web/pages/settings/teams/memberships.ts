import type { TeamMember } from '../../../api/teams.js';
import type { Problem } from '../../../api/problem.js';

/** In the team on that day. */
export function isMemberOn(day: string, { from, to }: TeamMember): boolean {
  return from <= day && (to === undefined || to === null || to >= day);
}

/** People of that day; nobody is in a team twice on a day. */
export function countOn(day: string, members: readonly TeamMember[]): number {
  return members.filter((member) => isMemberOn(day, member)).length;
}

export interface Placed {
  /** By place in the list. */
  readonly byRow: ReadonlyMap<number, string>;
  /** What belongs to no row; null when everything does. */
  readonly rest: string | null;
}

/** Where a refused list is wrong: fields name the row, a conflict with another team names the person and the day. */
export function placeProblem(
  problem: Problem,
  members: readonly TeamMember[],
  emailOf: (userId: string) => string,
): Placed {
  const byRow = new Map<number, string>();
  const rest: string[] = [];
  for (const { field, message } of problem.errors) {
    const [, place, name] = /^members\.(\d+)(?:\.(\w+))?$/.exec(field) ?? [];
    if (place === undefined) rest.push(`${field} ${message}`);
    else byRow.set(Number(place), readable([name, message].filter(Boolean).join(' '), members, emailOf));
  }
  if (problem.errors.length > 0) return { byRow, rest: rest.join('; ') || null };
  const row = conflictRow(problem.detail, members, emailOf);
  return row === -1 ? { byRow, rest: problem.detail } : { byRow: new Map([[row, problem.detail]]), rest: null };
}

function conflictRow(detail: string, members: readonly TeamMember[], emailOf: (userId: string) => string): number {
  const theirs = (userId: string) => {
    const email = emailOf(userId);
    return email !== '' && detail.startsWith(`${email} `);
  };
  const day = /\bon (\d{4}-\d{2}-\d{2})\b/.exec(detail)?.[1] ?? '';
  const exact = members.findIndex((member) => theirs(member.userId) && isMemberOn(day, member));
  return exact === -1 ? members.findIndex(({ userId }) => theirs(userId)) : exact;
}

/** The service speaks of ids and places; people read addresses and row numbers. */
function readable(message: string, members: readonly TeamMember[], emailOf: (userId: string) => string): string {
  const named = members.reduce(
    (text, { userId }) => (emailOf(userId) ? text.replaceAll(`the user "${userId}"`, emailOf(userId)) : text),
    message,
  );
  return named.replace(/members\.(\d+)/g, (_, place: string) => `row ${Number(place) + 1}`);
}
