import { UtcDay } from '../../../common/time/utc-day.js';

/** Days as YYYY-MM-DD, which sort as text. */
export interface Membership {
  readonly userId: string;
  readonly teamId: string;
  readonly from: string;
  /** The last day; null: until further notice. */
  readonly to: string | null;
}

export interface Difference {
  readonly removed: Membership[];
  readonly added: Membership[];
}

/** Of one team, all days together; one request can replace them. */
export const MAX_MEMBERSHIPS = 20_000;
/** Earlier days are typing errors; the database knows no year 0. */
const FIRST_DAY = '2000-01-01';

export const DAY_RULE = `must be a day written YYYY-MM-DD, ${FIRST_DAY} or later`;

export function isMembershipDay(text: string): boolean {
  return text >= FIRST_DAY && UtcDay.tryParse(text) !== null;
}

/** A day on which somebody would be in a team twice, or in two. */
export interface Overlap<M extends Membership> {
  readonly day: string;
  readonly earlier: M;
  readonly later: M;
}

export function findOverlaps<M extends Membership>(memberships: readonly M[]): Overlap<M>[] {
  const sorted = [...memberships].sort((a, b) => compare(a.userId, b.userId) || compare(a.from, b.from));
  const overlaps: Overlap<M>[] = [];
  let earlier: M | undefined;
  for (const later of sorted) {
    if (earlier?.userId === later.userId && (earlier.to === null || earlier.to >= later.from)) {
      overlaps.push({ day: later.from, earlier, later });
    }
    // The one that lasts longer may meet the next one, too.
    if (earlier?.userId !== later.userId || endsBefore(earlier, later)) earlier = later;
  }
  return overlaps;
}

export function difference(before: readonly Membership[], after: readonly Membership[]): Difference {
  const without = (list: readonly Membership[], others: readonly Membership[]) => {
    const known = new Map(others.map((other) => [keyOf(other), other]));
    return list.filter((one) => {
      const other = known.get(keyOf(one));
      return other?.teamId !== one.teamId || other.to !== one.to;
    });
  };
  return { removed: without(before, after), added: without(after, before) };
}

/** The memberships of a person who joins the team today; those of future days stay. */
export function withTeamFrom(
  today: UtcDay,
  userId: string,
  teamId: string,
  known: readonly Membership[],
): Membership[] {
  const day = today.toString();
  const current = known.find(({ from, to }) => from <= day && (to === null || to >= day));
  if (current?.teamId === teamId) return [...known];
  const future = known.map(({ from }) => from).filter((from) => from > day);
  const next = future.sort(compare).at(0);
  const joined = { userId, teamId, from: day, to: next === undefined ? null : dayBefore(next) };
  const others = known.filter((membership) => membership !== current);
  const ended = current && current.from < day ? [{ ...current, to: dayBefore(day) }] : [];
  return [...others, ...ended, joined];
}

export function byTeam(memberships: readonly Membership[]): Map<string, Membership[]> {
  const teams = new Map<string, Membership[]>();
  for (const membership of memberships) {
    const known = teams.get(membership.teamId);
    if (known) known.push(membership);
    else teams.set(membership.teamId, [membership]);
  }
  return teams;
}

function endsBefore(a: Membership, b: Membership): boolean {
  return a.to !== null && (b.to === null || a.to < b.to);
}

function dayBefore(day: string): string {
  return UtcDay.tryParse(day)?.plus(-1).toString() ?? day;
}

/** Nobody has two memberships that begin on the same day. */
function keyOf({ userId, from }: Membership): string {
  return userId + from;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
