import 'reflect-metadata';
import { validateSync } from 'class-validator';
import { isUuid, parseInstant } from '../../src/common/validation/predicates.js';
import {
  EmailAddress,
  Instant,
  OneOf,
  Optional,
  PageLimit,
  TextLength,
  Uuid,
} from '../../src/common/validation/rules.js';
import { cpuMs } from '../support/cpu-time.js';

class Request {
  @Optional() @TextLength(1, 5) name?: unknown;
  @Optional() @TextLength(0, 3) note?: unknown;
  @Optional() @EmailAddress() email?: unknown;
  @Optional() @Uuid() id?: unknown;
  @Optional() @Instant() at?: unknown;
  @Optional() @PageLimit(100) limit?: unknown;
  @Optional() @OneOf(['red', 'green']) colour?: unknown;
}

class Strict {
  @TextLength(0, 3) note: unknown;
}

const ID = '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e';
const NAME = 'must be a string of 1 to 5 characters';
const INSTANT = 'must be an ISO 8601 date-time with a time zone, such as 2027-01-31T00:00:00Z';
const LIMIT = 'must be a whole number from 1 to 100';

describe('the rules for fields', () => {
  it.each<[keyof Request, unknown]>([
    ['name', 'a'],
    ['name', 'abcde'],
    ['name', '\u{1F600}'.repeat(5)],
    ['name', 'e\u0301'],
    ['note', ''],
    ['email', 'ada@example.com'],
    ['email', 'ADA+tag@sub.example.co.uk'],
    ['email', "o'brien@example.com"],
    ['id', ID],
    ['id', ID.toUpperCase()],
    ['at', '2027-01-31T00:00:00Z'],
    ['at', '2027-01-31T23:59:59.999+14:00'],
    ['at', '2024-02-29T12:00:00.1-08:00'],
    ['limit', '1'],
    ['limit', '100'],
    ['colour', 'red'],
    ['colour', undefined],
  ])('%s may be %j', (field, value) => {
    expect(problems({ [field]: value })).toEqual([]);
  });

  it.each<[keyof Request, unknown, string]>([
    ['name', '', NAME],
    ['name', 'abcdef', NAME],
    ['name', '\u{1F600}'.repeat(6), NAME],
    ['name', 5, NAME],
    ['name', null, NAME],
    ['name', ['a'], NAME],
    ['name', { length: 3 }, NAME],
    ['note', 'abcd', 'must be a string of at most 3 characters'],
    ['email', 'ada', 'must be an e-mail address'],
    ['email', 'ada@', 'must be an e-mail address'],
    ['email', 'ada@example', 'must be an e-mail address'],
    ['email', 'a b@example.com', 'must be an e-mail address'],
    ['email', 'ada@example.com\n', 'must be an e-mail address'],
    ['email', 'ada@example.com,eve@example.com', 'must be an e-mail address'],
    ['email', 'Ada <ada@example.com>', 'must be an e-mail address'],
    ['email', `${'a'.repeat(250)}@example.com`, 'must be an e-mail address'],
    ['email', ['ada@example.com'], 'must be an e-mail address'],
    ['email', true, 'must be an e-mail address'],
    ['id', '', 'must be a UUID'],
    ['id', `${ID}\n`, 'must be a UUID'],
    ['id', `{${ID}}`, 'must be a UUID'],
    ['id', ID.replaceAll('-', ''), 'must be a UUID'],
    ['id', ID.replace('0', 'g'), 'must be a UUID'],
    ['id', 1, 'must be a UUID'],
    ['at', '2027-01-31', INSTANT],
    ['at', '2027-01-31T00:00:00', INSTANT],
    ['at', '2027-02-30T00:00:00Z', INSTANT],
    ['at', '2027-02-29T00:00:00+01:00', INSTANT],
    ['at', '2027-01-31T24:00:00Z', INSTANT],
    ['at', '2027-01-31T24:00:00.000+01:00', INSTANT],
    ['at', '2027-01-31T24:00:01Z', INSTANT],
    ['at', '2027-01-31T00:60:00Z', INSTANT],
    ['at', '2027-01-31T00:00:00.1234Z', INSTANT],
    ['at', '2027-01-31T00:00:00+99:00', INSTANT],
    ['at', '2027-01-31t00:00:00z', INSTANT],
    ['at', '+002027-01-31T00:00:00Z', INSTANT],
    ['at', 1_800_000_000, INSTANT],
    ['limit', '0', LIMIT],
    ['limit', '101', LIMIT],
    ['limit', '1e2', LIMIT],
    ['limit', '05', LIMIT],
    ['limit', '\u0665', LIMIT],
    ['limit', '99999999999999999999', LIMIT],
    ['limit', ['1', '2'], LIMIT],
    ['limit', 5, LIMIT],
    ['colour', 'RED', 'must be one of red, green'],
    ['colour', '', 'must be one of red, green'],
    ['colour', ['red'], 'must be one of red, green'],
    ['colour', null, 'must be one of red, green'],
    ['colour', 'constructor', 'must be one of red, green'],
  ])('%s may not be %j: it %s', (field, value, message) => {
    expect(problems({ [field]: value })).toEqual([message]);
  });

  it('a field without @Optional has to be there', () => {
    expect(validateSync(new Strict())).toHaveLength(1);
  });

  it('a long text is refused without being counted', () => {
    const took = cpuMs(() => expect(problems({ name: 'a'.repeat(20_000_000) })).toEqual([NAME]));
    expect(took).toBeLessThan(200);
  });

  it.each([
    ['e-mail addresses', 'email', `${'a.'.repeat(25_000)}@`],
    ['instants', 'at', `2027-01-31T${'0'.repeat(50_000)}`],
    ['UUIDs', 'id', '0123-'.repeat(10_000)],
    ['page limits', 'limit', '1'.repeat(50_000)],
  ])('%s are refused quickly when they are 50 kB long', (_, field, value) => {
    expect(cpuMs(() => expect(problems({ [field]: value })).toHaveLength(1))).toBeLessThan(200);
  });
});

it('an instant is read in its own time zone', () => {
  expect(parseInstant('2027-01-31T01:30:00+02:00')).toEqual(new Date('2027-01-30T23:30:00Z'));
});

it('something that only turns into a UUID is none', () => {
  expect([isUuid(ID), isUuid(undefined), isUuid({ toString: () => ID })]).toEqual([true, false, false]);
});

function problems(fields: Partial<Request>): string[] {
  const errors = validateSync(Object.assign(new Request(), fields));
  return errors.flatMap((error) => Object.values(error.constraints ?? {}));
}
