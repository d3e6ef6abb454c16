import { readShellLine } from './shell-line.js';
import { baseName, isAssignment, shellScript } from './shell-words.js';

export type MadeByCommand = 'git_commit' | 'pull_request_created';

/** Words in front of a command, with options of their own in between. */
const WRAPPERS = new Set('sudo doas env nohup time nice command exec xargs if then else while do ! {'.split(' '));
/** Options before the subcommand that take the next word as their value. */
const VALUED_OPTIONS = new Set(['-c', '-C', '--git-dir', '--work-tree', '--namespace', '-R', '--repo']);
const WITHOUT_EFFECT = new Set(['--dry-run', '--help', '-h']);
/** The person in front of the browser may still decide against it. */
const IN_BROWSER = new Set(['--web', '-w']);
const PULL_REQUESTS: readonly (readonly [program: string, ...subcommand: string[]])[] = [
  ['gh', 'pr', 'create'],
  ['gh', 'pr', 'new'],
  ['glab', 'mr', 'create'],
  ['glab', 'mr', 'new'],
];
/** What follows in longer scripts is, as a rule, the text of a file. */
const MAX_SCRIPT = 50_000;
/** Of `bash -c` within `bash -c`. */
const MAX_DEPTH = 3;

/** Commits and pull requests that a command, given as a script or as its words, makes if it succeeds. */
export function madeByCommand(command: unknown): MadeByCommand[] {
  return commandsOf(command).flatMap((words): MadeByCommand[] => {
    if (words.some((word) => WITHOUT_EFFECT.has(word))) return [];
    if (isSubcommand(words, 'git', ['commit'])) return ['git_commit'];
    const opens = PULL_REQUESTS.some(([program, ...subcommand]) => isSubcommand(words, program, subcommand));
    return opens && !words.some((word) => IN_BROWSER.has(word)) ? ['pull_request_created'] : [];
  });
}

function commandsOf(command: unknown): string[][] {
  if (typeof command === 'string') return commandsOfScript(command, 0);
  if (!Array.isArray(command)) return [];
  return plainCommands(
    command.filter((word): word is string => typeof word === 'string'),
    0,
  );
}

function commandsOfScript(script: string, depth: number): string[][] {
  return readShellLine(script.slice(0, MAX_SCRIPT)).commands.flatMap((words) => plainCommands(words, depth));
}

/** The command without its wrappers, or the commands of the script that it gives to a shell. */
function plainCommands(words: readonly string[], depth: number): string[][] {
  const own = unwrap(words);
  const script = depth === MAX_DEPTH ? null : shellScript(own);
  return script === null ? [own] : commandsOfScript(script, depth + 1);
}

function unwrap(words: readonly string[]): string[] {
  let isWrapped = false;
  const start = words.findIndex((word) => {
    const isWrapper = WRAPPERS.has(baseName(word));
    const isBefore = isWrapper || isAssignment(word) || (isWrapped && word.startsWith('-'));
    isWrapped ||= isWrapper;
    return !isBefore;
  });
  return start < 0 ? [] : words.slice(start);
}

function isSubcommand(words: readonly string[], program: string, subcommand: readonly string[]): boolean {
  if (baseName(words[0] ?? '') !== program) return false;
  let at = 1;
  while (words[at]?.startsWith('-')) at += VALUED_OPTIONS.has(words[at] ?? '') ? 2 : 1;
  return subcommand.every((word, index) => words[at + index] === word);
}
