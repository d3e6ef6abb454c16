import { Snippets } from '../../src/modules/messages/snippet.js';
import { cpuMs } from '../support/cpu-time.js';

const show = (text: string, ...words: string[]) => new Snippets(words).of(text);
const fill = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');

describe('a snippet', () => {
  it.each([
    ['each word', 'Fix the flaky login test', ['flaky', 'login'], 'Fix the **flaky** **login** test'],
    ['letters of any case', 'GRÜSSE und Grüße', ['grüße'], 'GRÜSSE und **Grüße**'],
    ['whole words only', 'concatenate a cat', ['cat'], 'concatenate a **cat**'],
    ['parts between underscores and hyphens', 'cat_flap and cat-flap', ['cat'], '**cat**_flap and **cat**-flap'],
    ['the longest of several', 'a cat-flap', ['cat', 'flap', 'cat-flap'], 'a **cat-flap**'],
    [
      'addresses and paths',
      'to ada@example.com: /usr/bin/x',
      ['ada@example.com', '/usr/bin/x'],
      'to **ada@example.com**: **/usr/bin/x**',
    ],
    ['numbers with signs', 'from -12 to 12', ['-12'], 'from **-12** to 12'],
    ['a part of a word where the database sees words otherwise', 'Grüße', ['gr'], '**Gr**üße'],
    ['the beginning when no word is looked for', 'one two', [], 'one two'],
    ['nothing of an empty text', '', ['x'], ''],
  ])('shows %s', (_what, text, words, expected) => {
    expect(show(text, ...words)).toBe(expected);
  });

  it('shows the surroundings of two places that are far from each other', () => {
    const text = `${fill(50)} needle ${fill(50)} needle ${fill(50)}`;
    expect(show(text, 'needle')).toBe(
      `${fill(50).split(' ').slice(-8).join(' ')} **needle** ${fill(12)} … ` +
        `${fill(50).split(' ').slice(-8).join(' ')} **needle** ${fill(12)}`,
    );
  });

  it('goes on without a gap where the second place is near', () => {
    const text = `needle ${fill(12)} needle`;
    expect(show(text, 'needle')).toBe(`**needle** ${fill(12)} **needle**`);
  });

  it('stays short whatever the text is, and cuts no character in two', () => {
    for (const text of ['x'.repeat(99_000), `needle ${'👩'.repeat(50_000)}`, `${'👩'.repeat(50_001)} needle`]) {
      const snippet = show(text, 'needle');
      expect([snippet.length < 500, snippet.isWellFormed()]).toEqual([true, true]);
    }
  });

  it('is found in time that grows with the text only', () => {
    const text = `${'a'.repeat(49_000)} ${'a '.repeat(25_000)} needle`;
    const words = Array.from({ length: 40 }, (_, i) => 'a'.repeat(i + 2));
    expect(cpuMs(() => expect(show(text, ...words, 'needle')).toContain('**needle**'))).toBeLessThan(500);
  });
});
