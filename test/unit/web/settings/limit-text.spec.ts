import { forecast, readLimit, showLimit } from '../../../../src/web/pages/settings/limits/limit-text.js';

describe('a limit that is typed', () => {
  it.each([
    ['', null],
    ['  ', null],
    ['0', 0],
    ['500000', 500_000],
    ['1,250,000', 1_250_000],
    ['20M', 20_000_000],
    ['1.5 m', 1_500_000],
    ['2.3k', 2_300],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('%j is %j', (text, limit) => {
    expect(readLimit(text)).toEqual({ limit });
  });

  it.each(['-1', '1.5', 'many', '5T', '9007199254740993', '1e6', '0x10'])('%j is refused with a hint', (text) => {
    expect(readLimit(text)).toEqual({ problem: expect.stringContaining('20M') });
  });

  it.each([null, 0, 1, 9_007_199_254_740_991])('%j reads as it is shown', (limit) => {
    expect(readLimit(showLimit(limit))).toEqual({ limit });
  });
});

describe('the forecast of a month', () => {
  const resetsAt = '2026-12-01T00:00:00.000Z';
  const at = (text: string) => Date.parse(text);

  it('goes on at the pace so far', () => {
    expect(forecast(100, resetsAt, at('2026-11-16T00:00:00Z'))).toBe(200);
    expect(forecast(100, resetsAt, at('2026-11-30T23:59:59.999Z'))).toBe(100);
  });

  it('says nothing on the first day', () => {
    expect(forecast(100, resetsAt, at('2026-11-01T23:59:59Z'))).toBeNull();
    expect(forecast(100, resetsAt, at('2026-11-02T00:00:00Z'))).toBe(3_000);
  });

  it('knows how long each month is, across the year', () => {
    expect(forecast(28, '2027-03-01T00:00:00Z', at('2027-02-15T00:00:00Z'))).toBe(56);
    expect(forecast(31, '2027-01-01T00:00:00Z', at('2026-12-02T00:00:00Z'))).toBe(961);
  });

  it('stays at what is used when the clock is behind', () => {
    expect(forecast(100, resetsAt, at('2026-12-05T00:00:00Z'))).toBe(100);
  });
});
