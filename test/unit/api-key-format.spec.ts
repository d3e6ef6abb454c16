import { apiKeyPrefix, isApiKey, newApiKey } from '../../src/common/access/api-key-format.js';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keys = Array.from({ length: 10_000 }, () => newApiKey());

function withCharacter(key: string, position: number, character: string): string {
  return key.slice(0, position) + character + key.slice(position + 1);
}

function otherCharacter(character: string): string {
  return alphabet.charAt((alphabet.indexOf(character) + 1) % alphabet.length);
}

describe('10,000 new API keys', () => {
  it('all have the documented form', () => {
    expect(keys.filter((key) => !/^apk_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/.test(key))).toEqual([]);
  });

  it('are all different', () => {
    expect(new Set(keys).size).toBe(10_000);
  });

  it('are all recognised by their checksum', () => {
    expect(keys.filter((key) => !isApiKey(key))).toEqual([]);
  });

  it('are all refused once one character is another', () => {
    const changed = keys.map((key, i) => {
      const position = 4 + (i % (key.length - 4));
      return withCharacter(key, position, otherCharacter(key.charAt(position)));
    });
    expect(changed.filter(isApiKey)).toEqual([]);
  });

  it('are all refused once two neighbours have changed places', () => {
    const swapped = keys.flatMap((key, i) => {
      const position = 4 + (i % (key.length - 5));
      const [first = '', second = ''] = key.slice(position, position + 2);
      return first === second ? [] : [key.slice(0, position) + second + first + key.slice(position + 2)];
    });
    expect(swapped.filter(isApiKey)).toEqual([]);
  });

  it('use every character of the alphabet at every place but the first', () => {
    // 256 bits fill 43 digits not quite: the first is at most 2^256 / 62^42, and so is the first of the checksum.
    for (const position of Array.from({ length: 42 }, (_, i) => 5 + i)) {
      expect(new Set(keys.map((key) => key.charAt(position))).size).toBe(alphabet.length);
    }
  });
});

describe('an API key', () => {
  // Written down once, so that a change of the format cannot go unnoticed: keys in use would stop working.
  const known = 'apk_0000000000000000000000000000000000000000000';

  it('has the CRC32 of all that precedes as its last six characters', () => {
    const crc = crc32(known);
    let digits = '';
    for (let rest = crc; rest > 0; rest = Math.floor(rest / 62)) digits = alphabet.charAt(rest % 62) + digits;
    expect(isApiKey(known + digits.padStart(6, '0'))).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'apk_'],
    ['a key that lacks its last character', keys[0]?.slice(0, -1)],
    ['a key with a character too many', `${keys[0]}0`],
    ['a key with a line feed at its end', `${keys[0]}\n`],
    ['a key with a space before it', ` ${keys[0]}`],
    ['a key whose prefix is in capitals', keys[0]?.replace('apk_', 'APK_')],
    ['a key with letters of another script', withCharacter(keys[0] ?? '', 10, 'а')],
  ])('is not %s', (_what, value) => {
    expect(isApiKey(value ?? '')).toBe(false);
  });

  it('is known afterwards by its first ten characters', () => {
    expect(apiKeyPrefix('apk_abcdefghijkl')).toBe('apk_abcdef');
  });
});

/** CRC-32 as in zlib, bit by bit: slow, but written independently of the one that is tested. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
