import { readShellLine } from '../../protocol/shell/shell-line.js';
import { baseName, shellScript } from '../../protocol/shell/shell-words.js';

const EVERYTHING = '*';
/** A program name that the shell expands first: a variable, a pattern or alternatives. */
const UNPLAIN_NAME = /[$*?[\]{}~]/;
/** Word breaks of the search for denied commands: quotes and every character with a meaning to a shell. */
const LOOSE_BREAKS = [/[\s;&|()<>`"'{}[\]!?*^%,$\\]+/, /[\s;&|()<>`"'{}[\]!?*^%,$\\=]+/];

/** Whether every simple command begins with an entry. A command that is not understood completely is not allowed. */
export function isAllowed(command: string, allowlist: readonly string[]): boolean {
  const entries = allowlist.map(wordsOfEntry).filter((entry) => entry !== null);
  if (entries.some((entry) => entry.length === 0)) return true;
  const { commands, isPlain } = readShellLine(command);
  if (!isPlain || commands.length === 0) return false;
  return commands.every((words) => entries.some((entry) => entry.every((word, i) => words[i] === word)));
}

/** The entry that denies a command or anything in it, or null. When in doubt, it is denied. */
export function deniedBy(command: string, denylist: readonly string[]): string | null {
  const readings = LOOSE_BREAKS.flatMap((breaks) =>
    [command, withoutQuotes(command)].map((text) => ({ breaks, words: looseWords(text, breaks) })),
  );
  const isFound = (entry: string) => {
    const wanted = wordsOfEntry(entry);
    if (wanted === null) return false;
    return readings.some(({ breaks, words }) =>
      holds(
        words,
        wanted.flatMap((word) => looseWords(word, breaks)),
      ),
    );
  };
  return denylist.find(isFound) ?? null;
}

/** Whether the programs that a command runs cannot be known from its text, so that a denylist cannot be relied on. */
export function isOpaque(command: string): boolean {
  const { commands, isPlain } = readShellLine(command);
  return !isPlain || commands.some(([program = '']) => UNPLAIN_NAME.test(program));
}

/** A program and its arguments as one command line; `bash -lc script` becomes the script. */
export function commandOfArguments(args: readonly string[]): string {
  return (args.length === 3 ? shellScript(args) : null) ?? args.map(quoted).join(' ');
}

/** The words of an entry; an empty list matches everything, null matches nothing. */
function wordsOfEntry(text: string): string[] | null {
  const words = readShellLine(text.trim()).commands.flat();
  if (words.length === 0) return null;
  return words.at(-1) === EVERYTHING ? words.slice(0, -1) : words;
}

function looseWords(text: string, breaks: RegExp): string[] {
  return text
    .toLowerCase()
    .split(breaks)
    .filter((word) => word !== '');
}

/** Joins the pieces of a word as a shell does: `r'm'` is rm. */
function withoutQuotes(command: string): string {
  return command.replace(/\\\n/g, '').replace(/["'\\]/g, '');
}

function holds(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.length === 0 || words.some((_, start) => isFoundAt(wanted, words, start));
}

/** Whether the wanted words follow from `start`; options with or without a value may stand in between. */
function isFoundAt([first = '', ...rest]: readonly string[], words: readonly string[], start: number): boolean {
  const word = words[start] ?? '';
  if (word !== first && baseName(word) !== first) return false;
  let at = start + 1;
  for (const wanted of rest) {
    while (words[at] !== wanted && words[at]?.startsWith('-')) at += words[at + 1] === wanted ? 1 : 2;
    if (words[at] !== wanted) return false;
    at += 1;
  }
  return true;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
