import fc from 'fast-check';
import { UtcDay } from '../../../src/common/time/utc-day.js';
import {
  difference,
  findOverlaps,
  type Membership,
  withTeamFrom,
} from '../../../src/modules/organization/teams/membership.js';

const FIRST = UtcDay.tryParse('2026-01-01') as UtcDay;
const day = (n: number) => FIRST.plus(n).toString();
const membership = (teamId: string, from: number, to: number | null, userId = 'ada'): Membership => ({
  ...{ userId, teamId, from: day(from), to: to === null ? null : day(to) },
});

const DAYS = 40;
const someMembership = fc
  .record({
    user: fc.constantFrom('ada', 'bob'),
    team: fc.constantFrom('a', 'b', 'c'),
    from: fc.nat(DAYS),
    length: fc.option(fc.nat(10)),
  })
  .map(({ user, team, from, length }) => membership(team, from, length === null ? null : from + length, user));

/** Who is where on which day, counted day by day. */
function placesOf(memberships: readonly Membership[]): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const { userId, teamId, from, to } of memberships) {
    for (let n = 0; n <= DAYS + 20; n++) {
      if (from > day(n) || (to !== null && to < day(n))) continue;
      places.set(`${userId} ${day(n)}`, [...(places.get(`${userId} ${day(n)}`) ?? []), teamId]);
    }
  }
  return places;
}

const isOnceADay = (memberships: readonly Membership[]) =>
  [...placesOf(memberships).values()].every((teams) => teams.length === 1);

/** Leaves out what overlaps with one before it. */
function withoutOverlaps(memberships: Membership[]): Membership[] {
  const kept: Membership[] = [];
  for (const one of memberships) if (isOnceADay([...kept, one])) kept.push(one);
  return kept;
}

describe('overlapping memberships', () => {
  it('are found exactly where a day has two', () => {
    fc.assert(
      fc.property(fc.array(someMembership, { maxLength: 8 }), (memberships) => {
        const overlaps = findOverlaps(memberships);
        expect(overlaps.length === 0).toBe(isOnceADay(memberships));
        for (const { day: on, later } of overlaps) {
          expect(placesOf(memberships).get(`${later.userId} ${on}`)?.length).toBeGreaterThan(1);
        }
      }),
    );
  });

  it('are found behind a short one', () => {
    const long = membership('a', 0, 30);
    const found = findOverlaps([long, membership('b', 1, 2), membership('c', 10, 11)]);
    expect(found.map(({ earlier, day: on }) => [earlier, on])).toEqual([
      [long, day(1)],
      [long, day(10)],
    ]);
  });
});

describe('the difference of two lists', () => {
  it('turns one into the other', () => {
    fc.assert(
      fc.property(fc.array(someMembership), fc.array(someMembership), (a, b) => {
        const [before, after] = [withoutOverlaps(a), withoutOverlaps(b)];
        const { removed, added } = difference(before, after);
        const kept = before.filter((one) => !removed.includes(one));
        expect(placesOf([...kept, ...added])).toEqual(placesOf(after));
        expect(added.some((one) => removed.some((other) => JSON.stringify(one) === JSON.stringify(other)))).toBe(false);
      }),
    );
  });
});

describe('joining a team today', () => {
  const join = (today: number, known: Membership[]) => withTeamFrom(FIRST.plus(today), 'ada', 'new', known);

  it('ends the team of yesterday', () => {
    expect(join(10, [membership('old', 0, null)])).toEqual([membership('old', 0, 9), membership('new', 10, null)]);
  });

  it('replaces a team that began today', () => {
    expect(join(10, [membership('old', 10, null)])).toEqual([membership('new', 10, null)]);
  });

  it('ends before what was set for a later day', () => {
    const later = membership('later', 20, null);
    expect(join(10, [membership('old', 0, 19), later])).toEqual([
      later,
      membership('old', 0, 9),
      membership('new', 10, 19),
    ]);
  });

  it('changes nothing for somebody who is in it, whatever its end', () => {
    const known = [membership('new', 0, 12), membership('later', 13, null)];
    expect(join(10, known)).toEqual(known);
  });

  it('leaves the past and the days that are set as they were, and nobody in two teams', () => {
    fc.assert(
      fc.property(fc.array(someMembership), fc.nat(DAYS), (some, today) => {
        const known = withoutOverlaps(some.filter(({ userId }) => userId === 'ada'));
        const joined = join(today, known);
        expect(isOnceADay(joined)).toBe(true);
        const [before, after] = [placesOf(known), placesOf(joined)];
        for (let n = 0; n < today; n++) expect(after.get(`ada ${day(n)}`)).toEqual(before.get(`ada ${day(n)}`));
        expect(after.get(`ada ${day(today)}`)).toEqual(['new']);
        for (const one of known.filter(({ from }) => from > day(today))) expect(joined).toContain(one);
      }),
    );
  });
});
