import { crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { InvalidRequestError } from '../../src/common/errors/domain-error.js';
import { preferred } from '../../src/http/parameters/negotiation.js';
import { matches } from '../../src/http/streams/streamed-answer.js';
import { AnalyticsRange } from '../../src/modules/analytics/analytics-range.js';
import { pauseAfter } from '../../src/modules/analytics/aggregation/pauses.js';
import { toLine } from '../../src/common/csv-line.js';
import { columnsOf, toCsvLine } from '../../src/modules/analytics/csv.js';
import {
  combineCrc,
  type Fragment,
  splice,
  toFragment,
  toSmallFragment,
} from '../../src/modules/analytics/spliced-gzip.js';
import { anyText } from '../support/any-text.js';
import { utcDay } from '../support/utc-day.js';

describe('a range of days', () => {
  const limits = { today: utcDay('2028-03-01'), firstDay: utcDay('2026-01-14') };
  const rangeOf = (startDate: string, endDate: string) => AnalyticsRange.of({ startDate, endDate }, limits);
  const daysOf = (startDate: string, endDate: string) => [...rangeOf(startDate, endDate).days()].map(String);

  it('has both of its ends, and the leap day between them', () => {
    expect(daysOf('2028-02-28', '2028-02-29')).toEqual(['2028-02-28', '2028-02-29']);
    expect(daysOf('2028-02-29', '2028-02-29')).toEqual(['2028-02-29']);
    expect(daysOf('2027-02-27', '2027-03-01')).toEqual(['2027-02-27', '2027-02-28', '2027-03-01']);
  });

  it('has 366 days at most', () => {
    expect(daysOf('2027-03-01', '2028-02-29')).toHaveLength(366);
    expect(() => rangeOf('2027-02-28', '2028-02-29')).toThrow(InvalidRequestError);
  });

  it('counts its days before it is cut at the first day', () => {
    expect(() => rangeOf('2025-01-01', '2026-01-14')).toThrow(InvalidRequestError);
  });

  it.each([
    ['begins with the first day of data', '2026-01-01', '2026-01-15', '2026-01-14', 2],
    ['begins as asked after the first day of data', '2026-01-15', '2026-01-15', '2026-01-15', 1],
    ['has one day when it ends on the first', '2026-01-01', '2026-01-14', '2026-01-14', 1],
    ['is echoed and empty before the first day', '2026-01-01', '2026-01-13', '2026-01-01', 0],
  ])('%s', (_, from, to, start, count) => {
    const range = rangeOf(from, to);
    expect({
      start: `${range.start}`,
      end: `${range.end}`,
      isEmpty: range.isEmpty,
      count: [...range.days()].length,
    }).toEqual({ start, end: to, isEmpty: count === 0, count });
  });

  it('says that today has a 24-hour lag, and that later days are too late', () => {
    expect(() => rangeOf('2028-02-01', '2028-03-01')).toThrow(/24-hour lag/);
    expect(() => rangeOf('2028-02-01', '2028-03-02')).toThrow(/must not be after 2028-02-29/);
    expect(daysOf('2028-02-29', '2028-02-29')).toHaveLength(1);
  });

  it.each([
    '2028-02-30',
    '2027-02-29',
    '28-02-2028',
    '2028-2-01',
    '2028-02-01 ',
    '２０２８-02-01',
    '',
    '2028-02-01T00',
  ])('is not made of %j', (text) => {
    expect(() => rangeOf(text, '2028-02-28')).toThrow(InvalidRequestError);
    expect(() => rangeOf('2028-02-01', text)).toThrow(InvalidRequestError);
  });
});

describe('a spliced gzip file', () => {
  const parts = fc.array(fc.oneof(anyText(), fc.constant(''), fc.string({ minLength: 300, maxLength: 900 })), {
    maxLength: 12,
  });

  const bytes = fc.uint8Array({ maxLength: 3_000, size: 'max' });

  async function spliced(fragments: Fragment[]): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of splice(from(fragments))) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async function* from(fragments: Fragment[]): AsyncGenerator<Fragment> {
    for (const fragment of fragments) yield await Promise.resolve(fragment);
  }

  it('has the checksum of its parts one after the other', () => {
    const isRight = fc.property(bytes, bytes, (first, second) => {
      const whole = Buffer.concat([first, second]);
      return combineCrc(crc32(first), crc32(second), second.length) === crc32(whole);
    });
    fc.assert(isRight, { numRuns: 300, examples: [[new Uint8Array(), new Uint8Array()]] });
  });

  it('has the checksum of parts that are too long for 32 bits', () => {
    const half = 2 ** 31 + 5;
    const [first, second] = [crc32('first'), crc32('second')];
    const step = combineCrc(combineCrc(crc32('start'), first, half), second, half);
    expect(combineCrc(crc32('start'), combineCrc(first, second, half), 2 * half)).toBe(step);
  });

  it('holds its parts one after the other, however they were compressed', async () => {
    const isWhole = fc.asyncProperty(parts, async (texts) => {
      const fragments: Fragment[] = [];
      for (const [i, text] of texts.entries()) {
        fragments.push(i % 2 === 0 ? await toFragment(Buffer.from(text)) : toSmallFragment(text));
      }
      expect(gunzipSync(await spliced(fragments)).toString()).toBe(Buffer.from(texts.join('')).toString());
    });
    await fc.assert(isWhole, { numRuns: 100, examples: [[[]], [['']], [['', '', 'ä', '']]] });
  });

  it('is noticed when a part is not what was promised', async () => {
    const good = toSmallFragment('some text');
    const bad = { ...good, bytes: deflateRawSync(Buffer.from('other text'), { finishFlush: 2 }) };
    const file = await spliced([good, bad]);
    expect(() => gunzipSync(file)).toThrow(/incorrect (data check|length check)/);
  });
});

describe('a line of CSV', () => {
  it('has a column for each scalar, with dotted names for those inside of objects', () => {
    const row = { date: '2026-01-14', list: [1], ratio: { low: 0.5, high: 1 }, nothing: null };
    expect(columnsOf(row)).toEqual(['date', 'ratio.low', 'ratio.high', 'nothing']);
    expect(toCsvLine(row)).toBe('2026-01-14,0.5,1,\r\n');
  });

  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ['a=1', 'a=1'],
  ])('writes %j as %j', (value, cell) => {
    expect(toLine([value])).toBe(`${cell}\r\n`);
  });

  it('leaves numbers alone, negative ones too', () => {
    expect(toLine([-1, 1.5, 1e21, true, null])).toBe('-1,1.5,1e+21,true,\r\n');
  });
});

describe('content negotiation', () => {
  const TYPES = ['application/json', 'text/csv', 'application/x-ndjson'] as const;

  it.each([
    [undefined, null],
    ['', null],
    ['*/*', 'application/json'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV', 'text/csv'],
    ['text/*', 'text/csv'],
    ['application/*', 'application/json'],
    ['text/html', null],
    ['text/html, */*;q=0.1', 'application/json'],
    ['text/csv;q=0.5, application/x-ndjson;q=0.6', 'application/x-ndjson'],
    ['text/csv, application/json', 'application/json'],
    ['application/json;q=0, */*', 'text/csv'],
    ['*/*;q=0.8, application/json;q=0.5', 'text/csv'],
    ['text/csv;q=0', null],
    ['text/csv;q=x, application/x-ndjson;q=0.001', 'application/x-ndjson'],
    ['text/csv;q=2', null],
    ['text/csv; header=present; q=0.9, application/json;q=0.8', 'text/csv'],
  ])('takes from %j %j', (header, expected) => {
    expect(preferred(header, TYPES)).toBe(expected);
  });

  it.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['*', 'gzip'],
    ['br', null],
    ['gzip;q=0', null],
    ['gzip;q=0, *', 'identity'],
    ['gzip;q=0.5, identity', 'identity'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
  ])('encodes for %j as %j', (header, expected) => {
    expect(preferred(header, ['gzip', 'identity'])).toBe(expected);
  });

  it.each([
    [undefined, false],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a" ,"c"', true],
    ['*', true],
    ['a', false],
    ['"A"', false],
    ['"b"', false],
    ['', false],
  ])('knows from If-None-Match %j whether the client has "a": %j', (header, expected) => {
    expect(matches(header, 'a')).toBe(expected);
  });
});

describe('the pause before a day with late events is computed again', () => {
  it('is thirty times what it took, at least half a minute and at most a quarter of an hour', () => {
    expect([0, 999, 1_000, 2_000, 30_000, 600_000].map(pauseAfter)).toEqual([
      30_000, 30_000, 30_000, 60_000, 900_000, 900_000,
    ]);
  });
});
