import { cutShellLine } from './shell-words.js';

const EVERYTHING = '*';
/** A name that a shell makes another one of: by a variable, a pattern or alternatives. */
const UNPLAIN_NAME = /[$*?[\]{}~]/;
const SHELL = /^(?:.*\/)?(?:ba|da|z|k|a)?sh$/;
/** Where a word ends for the purpose of finding what is forbidden: at quotes and all that shells give a meaning. */
const LOOSE_BREAKS = [/[\s;&|()<>`"'{}[\]!?*^%,$\\]+/, /[\s;&|()<>`"'{}[\]!?*^%,$\\=]+/];

/** Whether each part of a command begins with an entry. Anything that is not plainly understood is not allowed. */
export function isAllowed(command: string, allowlist: readonly string[]): boolean {
  const entries = allowlist.map(wordsOfEntry).filter((entry) => entry !== null);
  if (entries.some((entry) => entry.length === 0)) return true;
  const { parts, isPlain } = cutShellLine(command);
  if (!isPlain || parts.length === 0) return false;
  return parts.every((words) => entries.some((entry) => entry.every((word, i) => words[i] === word)));
}

/** The entry that forbids a command or anything in it, or null. In doubt it is forbidden. */
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

/** Whether a command does not say plainly which programs it runs, so that nothing can be found in it for sure. */
export function isOpaque(command: string): boolean {
  const { parts, isPlain } = cutShellLine(command);
  return !isPlain || parts.some(([program = '']) => UNPLAIN_NAME.test(program));
}

/** A command line of its own from a program and its arguments. `bash -lc script` is its script. */
export function commandOfArguments(args: readonly string[]): string {
  return (args.length === 3 ? scriptOf(args) : null) ?? args.map(quoted).join(' ');
}

/** The words of an entry; none for one that means everything, null for one that means nothing. */
function wordsOfEntry(text: string): string[] | null {
  const words = cutShellLine(text.trim()).parts.flat();
  if (words.length === 0) return null;
  return words.at(-1) === EVERYTHING ? words.slice(0, -1) : words;
}

/** The script in `bash -c script`, in its many spellings; null when it is something else. */
function scriptOf([shell = '', ...args]: readonly string[]): string | null {
  if (!SHELL.test(shell)) return null;
  const flag = args.findIndex((word) => /^-[a-z]*c[a-z]*$/.test(word));
  return flag === -1 ? null : (args[flag + 1] ?? null);
}

function looseWords(text: string, breaks: RegExp): string[] {
  return text
    .toLowerCase()
    .split(breaks)
    .filter((word) => word !== '');
}

/** As a shell would put the pieces of a word together: `r'm'` is rm. */
function withoutQuotes(command: string): string {
  return command.replace(/\\\n/g, '').replace(/["'\\]/g, '');
}

function holds(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.length === 0 || words.some((_, start) => isFoundAt(wanted, words, start));
}

/** Whether a list of words has the wanted ones from there on. Options may stand between, with a value each. */
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

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
