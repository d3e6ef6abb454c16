import { cutShellLine, isAssignment } from './shell-words.js';

const EVERYTHING = '*';
const MAX_DEPTH = 3;
const SHELL = /^(?:.*\/)?(?:ba|da|z|k|a)?sh$/;
/** Commands that run another one, which follows their options. */
const WRAPPERS = new Set([
  'sudo',
  'doas',
  'env',
  'nohup',
  'time',
  'nice',
  'command',
  'exec',
  'xargs',
  'then',
  'do',
  '!',
]);
/** Where a word ends for the purpose of finding what is forbidden: at quotes and all that shells give a meaning. */
const LOOSE_BREAKS = [/[\s;&|()<>`"'{}[\]!?*^%,$\\]+/, /[\s;&|()<>`"'{}[\]!?*^%,$\\=]+/];

/**
 * The words of each simple command in a line for a shell, as far as they can be told without running it: also those of
 * scripts that are given to another shell, without assignments and commands such as `sudo` before them.
 */
export function commandParts(command: string, depth = 0): string[][] {
  return cutShellLine(command).parts.flatMap((words) => {
    const own = unwrap(words);
    const script = depth < MAX_DEPTH ? scriptOf(own) : null;
    if (script !== null) return commandParts(script, depth + 1);
    return own.length > 0 ? [own] : [];
  });
}

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

function unwrap(words: readonly string[]): string[] {
  let start = 0;
  for (let isWrapped = false; start < words.length; start += 1) {
    const word = words[start] ?? '';
    const isOption = isWrapped && word.startsWith('-');
    isWrapped ||= WRAPPERS.has(baseName(word));
    if (!isOption && !isAssignment(word) && !WRAPPERS.has(baseName(word))) break;
  }
  return words.slice(start);
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
