import fc from 'fast-check';
import { UtcDay } from '../../src/common/time/utc-day.js';
import { UtcMonth } from '../../src/common/time/utc-month.js';

const DAY_MS = 86_400_000;

describe('UtcDay', () => {
  it.each(['2026-01-14', '2024-02-29', '2000-02-29', '1999-12-31', '0001-01-01', '0000-01-01', '9999-12-31'])(
    'reads %s',
    (text) => {
      expect(UtcDay.tryParse(text)?.toString()).toBe(text);
    },
  );

  it.each([
    '',
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-5',
    '20260105',
    '2026-W03',
    '2026-01',
    '2026-01-15T00:00:00Z',
    '2026-01-15 ',
    ' 2026-01-15',
    '2026-01-15\n',
    '\u0662\u0660\u0662\u0666-01-15',
    '\uff12\uff10\uff12\uff16-01-15',
    '-000001-01-01',
    '+002026-01-15',
    '99999-01-01',
    '2026-01-15\0',
    '2026/01/15',
  ])('refuses %j', (text) => {
    expect(UtcDay.tryParse(text)).toBeNull();
  });

  it.each([
    ['2026-01-14T00:00:00.000Z', '2026-01-14'],
    ['2026-01-14T23:59:59.999Z', '2026-01-14'],
    ['2026-01-15T01:00:00.000+02:00', '2026-01-14'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31'],
  ])('puts %s on %s', (instant, day) => {
    expect(UtcDay.of(new Date(instant)).toString()).toBe(day);
  });

  it.each([
    ['2026-01-31', '2026-02-01'],
    ['2026-02-28', '2026-03-01'],
    ['2024-02-28', '2024-02-29'],
    ['2026-12-31', '2027-01-01'],
  ])('follows %s with %s', (day, next) => {
    expect(parsed(day).next().toString()).toBe(next);
  });

  it('begins at midnight UTC and comes before the next day only', () => {
    const day = parsed('2026-03-29');
    expect(day.startsAt().toISOString()).toBe('2026-03-29T00:00:00.000Z');
    expect(day.isBefore(day.next())).toBe(true);
    expect(day.isBefore(day)).toBe(false);
    expect(day.next().isBefore(day)).toBe(false);
  });

  it('finds every instant on exactly one day, and reads that day back', () => {
    const instants = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-30'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, (instant) => {
        const day = UtcDay.of(instant);
        const sinceMidnight = instant.getTime() - day.startsAt().getTime();
        expect(sinceMidnight).toBeGreaterThanOrEqual(0);
        expect(sinceMidnight).toBeLessThan(DAY_MS);
        expect(UtcDay.tryParse(day.toString())).toEqual(day);
        expect(day.toString()).toBe(instant.toISOString().slice(0, 10));
      }),
    );
  });
});

describe('UtcMonth', () => {
  it.each([
    ['2026-11-15T08:00:00.000Z', '2026-11-01', '2026-12-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01T00:00:00.000Z'],
    ['2027-01-01T00:00:00.000Z', '2027-01-01', '2027-02-01T00:00:00.000Z'],
    ['2024-02-29T12:00:00.000Z', '2024-02-01', '2024-03-01T00:00:00.000Z'],
  ])('knows the month of %s', (instant, first, end) => {
    const month = UtcMonth.of(new Date(instant));
    expect(month.toString()).toBe(first);
    expect(month.endsAt().toISOString()).toBe(end);
  });
});

function parsed(text: string): UtcDay {
  const day = UtcDay.tryParse(text);
  if (!day) throw new Error(`${text} is a day`);
  return day;
}
