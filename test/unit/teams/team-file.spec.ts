import fc from 'fast-check';
import { readCsv } from '../../../src/modules/organization/teams/csv-rows.js';
import { readTeamFile } from '../../../src/modules/organization/teams/team-file.js';

const users = new Map([
  ['ada@example.com', 'ada'],
  ['bob@example.com', 'bob'],
]);
const read = (...lines: string[]) => readTeamFile(lines.join('\n'), users);
const ADA = 'ada@example.com,Backend,2026-01-01,';

describe('a file of teams', () => {
  it('has a line for each membership, with columns in any order and any usual spelling', () => {
    const text =
      '\uFEFFTo,Email,"Team",From\r\n,ADA@example.com,"R&D, Zürich ""A""", 2026-01-01\r\n\r\n2026-02-01,bob@example.com,Web,2026-01-01';
    expect(readTeamFile(text, users)).toEqual([
      { userId: 'ada', team: 'R&D, Zürich "A"', from: '2026-01-01', to: null },
      { userId: 'bob', team: 'Web', from: '2026-01-01', to: '2026-02-01' },
    ]);
  });

  it('may have nothing but the header', () => {
    expect(read('email,team,from,to')).toEqual([]);
  });

  it.each([
    '',
    'ada@example.com,Backend,2026-01-01,',
    'email;team;from;to',
    'email,team,from',
    'email,team,from,to,note',
    '"email,team',
  ])('is refused without its header: %j', (header) => {
    expect(() => read(header, ADA)).toThrow('The first line has to be the header email,team,from,to');
  });

  it.each<[string, string]>([
    ['nobody@example.com,Backend,2026-01-01,', 'line 3: email: there is no user with the address nobody@example.com'],
    ['ada,Backend,2026-01-01,', 'line 3: email: "ada" is no e-mail address'],
    ['bob@example.com,,2026-01-01,', 'line 3: team: must be 1 to 100 characters'],
    ['bob@example.com,(none),2026-01-01,', 'line 3: team: must be 1 to 100 characters'],
    ['bob@example.com,Web,,', 'line 3: from: must be a day written YYYY-MM-DD'],
    ['bob@example.com,Web,01.02.2026,', 'line 3: from: must be a day written YYYY-MM-DD'],
    ['bob@example.com,Web,2026-02-30,', 'line 3: from: must be a day written YYYY-MM-DD'],
    [
      'bob@example.com,Web,2026-02-01,soon',
      'line 3: to: must be a day written YYYY-MM-DD, 2000-01-01 or later, or empty',
    ],
    ['bob@example.com,Web,2026-02-01,2026-01-31', 'line 3: to: must not be before from'],
    ['bob@example.com,Web,2026-02-01', 'line 3: has 3 columns instead of 4'],
    ['bob@example.com,"Web,2026-02-01,', 'line 3: has a quote that does not fit'],
    ['bob@example.com,We"b,2026-02-01,', 'line 3: has a quote that does not fit'],
    [
      'Ada@example.com,Web,2026-05-01,',
      'line 3: Ada@example.com is in the team "Backend" on 2026-05-01 already, in line 2',
    ],
  ])('says what is wrong with the line %s', (line, message) => {
    expect(() => read('email,team,from,to', ADA, line)).toThrow(message);
  });

  it('lists the wrong lines in their order, the first 20 of them', () => {
    const wrong = Array.from({ length: 30 }, (_, i) => `x${i},Web,2026-01-01,`);
    expect(() => read('email,team,from,to', ...wrong)).toThrow(/line 2: .*\n {2}line 3: (.|\n)* {2}and 10 more$/);
  });
});

describe('CSV', () => {
  it('is read as it was written', () => {
    const cell = fc.string().map((text) => text.replaceAll('\r', '').trim());
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 })), (rows) => {
        const text = rows.map((cells) => cells.map((c) => `"${c.replaceAll('"', '""')}"`).join(',')).join('\r\n');
        const full = rows.filter((cells) => cells.some((c) => c !== ''));
        expect([...readCsv(text)].map(({ cells }) => cells)).toEqual(full);
      }),
    );
  });

  it('ends for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n') }), (text) => {
        Array.from(readCsv(text));
      }),
    );
  });

  it('knows on which line a record begins', () => {
    expect([...readCsv('a,b\n"c\nd",e\n\nf,g')].map(({ line }) => line)).toEqual([1, 2, 5]);
  });
});
