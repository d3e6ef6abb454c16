import { UtcDay } from '../../src/common/time/utc-day.js';
import { lengthOf, recentAndOlder, type Stretch, stretchesOf } from '../../src/modules/demo/demo-days.js';

const day = (text: string) => UtcDay.tryParse(text) as UtcDay;
const today = day('2026-11-15');
const shown = (stretch: Stretch | undefined) => stretch && `${stretch.from} to ${stretch.to}`;

describe('the days of the demo', () => {
  it('are today, the 30 days before it, and then the older ones, newest first and each once', () => {
    const { recent, older } = recentAndOlder({ from: day('2025-11-16'), today });
    expect(shown(recent)).toBe('2026-10-16 to 2026-11-15');
    const stretches = older ? stretchesOf(older) : [];
    expect(shown(stretches[0])).toBe('2026-09-11 to 2026-10-15');
    expect(shown(stretches.at(-1))).toBe('2025-11-16 to 2025-12-04');
    for (const [i, { from }] of stretches.slice(0, -1).entries()) {
      expect(stretches[i + 1]?.to.next().toString()).toBe(from.toString());
    }
    expect([recent, ...stretches].reduce((sum, stretch) => sum + lengthOf(stretch), 0)).toBe(365);
  });

  it('are all recent when there are only 30 before today', () => {
    const { recent, older } = recentAndOlder({ from: day('2026-10-16'), today });
    expect([shown(recent), older]).toEqual(['2026-10-16 to 2026-11-15', null]);
  });

  it('are one stretch when they are few', () => {
    expect(stretchesOf({ from: today, to: today }).map(shown)).toEqual(['2026-11-15 to 2026-11-15']);
  });
});
