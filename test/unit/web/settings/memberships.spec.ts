import { Problem } from '../../../../src/web/api/problem.js';
import { countOn, isMemberOn, placeProblem } from '../../../../src/web/pages/settings/teams/memberships.js';

const ADA = '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e';
const BOB = '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4f';
const emails: Record<string, string> = { [ADA]: 'ada@example.com', [BOB]: '' };
const emailOf = (userId: string) => emails[userId] ?? '';
const members = [
  { userId: BOB, from: '2026-01-01' },
  { userId: ADA, from: '2026-01-01', to: '2026-01-31' },
  { userId: ADA, from: '2026-03-01', to: null },
];

it('a membership holds on its first and last day', () => {
  const member = { userId: ADA, from: '2026-01-02', to: '2026-01-03' };
  expect(['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'].map((day) => isMemberOn(day, member))).toEqual([
    ...[false, true, true, false],
  ]);
  expect(countOn('2026-03-05', members)).toBe(2);
});

describe('what the service refuses', () => {
  const place = (problem: Problem) => {
    const { byRow, rest } = placeProblem(problem, members, emailOf);
    return [Object.fromEntries(byRow), rest];
  };

  it('is shown at the row that it names, with addresses and row numbers', () => {
    const message = `the user "${ADA}" is in the list on 2026-03-01 already, in members.1`;
    const problem = new Problem(400, 'wrong', null, [
      { field: 'members.2', message },
      { field: 'members.0.to', message: 'must not be before from' },
    ]);
    expect(place(problem)).toEqual([
      { 2: 'ada@example.com is in the list on 2026-03-01 already, in row 2', 0: 'to must not be before from' },
      null,
    ]);
  });

  it('is shown at the membership of that day when somebody is in another team', () => {
    const detail = 'ada@example.com is in the team "Web" on 2026-03-04; nobody is in two teams on the same day.';
    expect(place(new Problem(409, detail, null))).toEqual([{ 2: detail }, null]);
  });

  it('is shown below the list when it belongs to no row', () => {
    expect(place(new Problem(404, 'There is no user "x".', null))).toEqual([{}, 'There is no user "x".']);
    const whole = [{ field: 'members', message: 'must be a list' }];
    expect(place(new Problem(400, 'wrong', null, whole))).toEqual([{}, 'members must be a list']);
  });
});
