import fc from 'fast-check';
import { addDays, comparedWith, daysOf, isDay, MAX_DAYS, resolve, shift } from '../../../src/web/ranges.js';

const TODAY = '2026-11-15';

describe('a range of the console', () => {
  it('is the last 28 closed days unless the address says otherwise', () => {
    expect(resolve({}, TODAY)).toEqual({ from: '2026-10-18', to: '2026-11-14' });
  });

  it('never includes today', () => {
    expect(resolve({ from: '2026-11-01', to: '2026-12-24' }, TODAY)).toEqual({ from: '2026-11-01', to: '2026-11-14' });
    expect(resolve({ from: TODAY, to: TODAY }, TODAY)).toEqual({ from: '2026-11-14', to: '2026-11-14' });
  });

  it('has at most as many days as the service answers', () => {
    expect(daysOf(resolve({ from: '2020-01-01', to: '2026-11-14' }, TODAY))).toBe(MAX_DAYS);
  });

  it('begins a month with its first day, also on the first of the next', () => {
    expect(resolve({ range: 'month' }, '2026-11-01')).toEqual({ from: '2026-10-01', to: '2026-10-31' });
    expect(resolve({ range: 'last-month' }, TODAY)).toEqual({ from: '2026-10-01', to: '2026-10-31' });
  });

  it('is compared with the same weekdays before it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: MAX_DAYS }),
        fc.constantFrom('previous' as const, 'year' as const),
        (days, by) => {
          const range = { from: addDays(TODAY, -days), to: addDays(TODAY, -1) };
          const before = comparedWith(range, by);
          if (!before) throw new Error('no window');
          expect(daysOf(before)).toBe(days);
          expect((daysOf({ from: before.from, to: range.from }) - 1) % 7).toBe(0);
          if (by === 'previous') expect(before.to < range.from).toBe(true);
        },
      ),
    );
    expect(comparedWith({ from: '2026-11-01', to: '2026-11-14' }, 'none')).toBeNull();
  });

  it('keeps its length when it is shifted, and stops at yesterday', () => {
    const range = { from: '2026-11-01', to: '2026-11-07' };
    expect(shift(range, -1, TODAY)).toEqual({ from: '2026-10-25', to: '2026-10-31' });
    expect(shift(range, 5, TODAY)).toEqual({ from: '2026-11-08', to: '2026-11-14' });
  });

  it('takes only days of the calendar', () => {
    expect(['2026-02-29', '2026-13-01', 'today', '2026-1-1', 5].some(isDay)).toBe(false);
    expect(isDay('2028-02-29')).toBe(true);
  });
});
