import { readShellLine } from '../../../src/protocol/shell/shell-line.js';
import { shellScript } from '../../../src/protocol/shell/shell-words.js';

describe('a line for a shell', () => {
  it.each<[string, string[][]]>([
    ['git status --short', [['git', 'status', '--short']]],
    ['a; b && c || d | e & f\ng', [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g']]],
    ['\'a b\' "c \\" d" e\\ f "" g"h"\'i\'', [['a b', 'c " d', 'e f', '', 'ghi']]],
    ['a \\\n b', [['a', 'b']]],
    ['echo $HOME "$USER"', [['echo', '$HOME', '$USER']]],
  ])('is plain and has the words of its commands: %j', (line, commands) => {
    expect(readShellLine(line)).toEqual({ commands, isPlain: true });
  });

  it.each<[string, string[][]]>([
    ['a\r\nb\r\n', [['a'], ['b']]],
    ['a # b; c\nd', [['a'], ['d']]],
    ['a $(b) `c`', [['a', '$'], ['b'], ['c']]],
    ['a > b 2>&1', [['a', 'b', '2', '1']]],
    ['A=1 b', [['A=1', 'b']]],
    ["a <<'E' && b\n c; d\nE\ne", [['a', 'E'], ['b'], ['e']]],
    ['a <<-E\n\tb\n\tE\nc', [['a', '-E'], ['c']]],
    ['a <<E <<F\nb\nE\nc\nF\nd', [['a', 'E', 'F'], ['d']]],
    ['a <<E\nb; c', [['a', 'E']]],
    ['a <<<E\nb', [['a', 'E'], ['b']]],
  ])('is not plain, though it has words: %j', (line, commands) => {
    expect(readShellLine(line)).toEqual({ commands, isPlain: false });
  });
});

describe('the script that a shell is given', () => {
  it.each<[string[], string | null]>([
    [['bash', '-lc', 'a b'], 'a b'],
    [['/bin/sh', '-e', '-c', 'a', 'x'], 'a'],
    [['sh', '-c'], null],
    [['bash', 'file'], null],
    [['fish', '-c', 'a'], null],
    [[], null],
  ])('%j: %j', (words, script) => {
    expect(shellScript(words)).toBe(script);
  });
});
