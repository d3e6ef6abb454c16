import { takeShare } from '../../src/modules/analytics/aggregation/day-share.js';

/** Organizations by their events and failures. */
const due = (...orgs: (number | [events: number, failures: number])[]) =>
  orgs.map((org, index) => {
    const [events, failures] = typeof org === 'number' ? [org, 0] : org;
    return { orgId: `org-${index}`, day: '2026-02-03', events, failures };
  });
const orgsOf = (share: { orgId: string }[]) => share.map(({ orgId }) => orgId);

describe('the share of a day that one session computes', () => {
  it('is everything when the day is small', () => {
    expect(orgsOf(takeShare(due(10, 5, 1), 4))).toEqual(['org-0', 'org-1', 'org-2']);
  });

  it('is about one part of a large day', () => {
    expect(orgsOf(takeShare(due(600_000, 500_000, 300_000, 100_000), 2))).toEqual(['org-0', 'org-3']);
  });

  it('has at least one organization, however large', () => {
    expect(orgsOf(takeShare(due(50_000_000, 1), 1))).toEqual(['org-0']);
  });

  it('has at most 2,000 organizations', () => {
    expect(takeShare(due(...Array<number>(2_500).fill(1)), 1)).toHaveLength(2_000);
  });

  it('is an organization that has failed alone', () => {
    expect(orgsOf(takeShare(due([3, 1], 2, 1), 1))).toEqual(['org-0']);
  });

  it('leaves out those that have failed, and is nothing when nothing is due', () => {
    expect(orgsOf(takeShare(due(3, [2, 2], 1), 1))).toEqual(['org-0', 'org-2']);
    expect(takeShare([], 4)).toEqual([]);
  });
});
