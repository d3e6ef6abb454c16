import type { Told } from './facts.js';

const SHELL = /(?:^|\/)(?:ba|z|da|k)?sh$/;
const ASSIGNMENT = /^\w+=/;
const BEFORE_COMMAND = new Set(['sudo', 'env', 'time', 'command', 'if', 'then', 'else', 'while', 'do', '!', '{']);
/** Options before the subcommand that take the next word as their value. */
const VALUED_OPTIONS = new Set(['-c', '-C', '--git-dir', '--work-tree', '--namespace', '-R', '--repo']);
const NO_EFFECT = new Set(['--dry-run', '--help', '-h', '--web', '-w']);
/** Nobody types more, and what agents write in addition is the text of files. */
const MAX_SCRIPT = 50_000;

/** Commits and pull requests that a command line makes. Nothing else of it is kept. */
export function gitFacts(command: unknown): Told[] {
  return commandsOf(command).flatMap((words): Told[] => {
    if (isSubcommand(words, 'git', ['commit']) && !words.includes('--dry-run')) return [['git_commit']];
    if (isSubcommand(words, 'gh', ['pr', 'create']) && !words.some((word) => NO_EFFECT.has(word))) {
      return [['pull_request_created']];
    }
    return [];
  });
}

/** The simple commands of a script, or of the words of a command, which may be a shell with a script. */
function commandsOf(command: unknown): string[][] {
  if (typeof command === 'string') {
    return readScript(command.slice(0, MAX_SCRIPT)).flatMap((words) => scriptOfShell(words) ?? [words]);
  }
  if (!Array.isArray(command)) return [];
  const words = command.filter((word): word is string => typeof word === 'string');
  return scriptOfShell(words) ?? [words];
}

function scriptOfShell(words: readonly string[]): string[][] | null {
  if (!SHELL.test(words[0] ?? '')) return null;
  const option = words.findIndex((word) => /^-\w*c$/.test(word));
  return option < 0 ? null : readScript((words[option + 1] ?? '').slice(0, MAX_SCRIPT));
}

function isSubcommand(words: readonly string[], program: string, subcommand: readonly string[]): boolean {
  const start = words.findIndex((word) => !ASSIGNMENT.test(word) && !BEFORE_COMMAND.has(word));
  if (start < 0 || words[start]?.split('/').at(-1) !== program) return false;
  let at = start + 1;
  while (words[at]?.startsWith('-')) at += VALUED_OPTIONS.has(words[at] ?? '') ? 2 : 1;
  return subcommand.every((word, index) => words[at + index] === word);
}

/** One token: space, a here-document's start, a separator, or a piece of a word. */
const TOKEN =
  /(?<space>[ \t\r]+|\\\n|<<<)|<<-?[ \t]*(?<quote>['"]?)(?<end>\w+)\k<quote>|(?<newline>\n)|(?<separator>&&|\|\||[;|&()])|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<plain>[^\s'"\\;|&()<]+|[\s\S])/gy;

/** Splits a script into the words of its commands: enough of a shell to know a command from a text about one. */
function readScript(script: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  let hereDocument: string | null = null;
  const endWord = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(script); token !== null; token = TOKEN.exec(script)) {
    const { end, newline, separator, space, single, double, escaped, plain } = token.groups ?? {};
    if (end !== undefined) hereDocument = end;
    else if (newline !== undefined) {
      endCommand();
      if (hereDocument !== null) TOKEN.lastIndex = endOfHereDocument(script, TOKEN.lastIndex, hereDocument);
      hereDocument = null;
    } else if (separator !== undefined) endCommand();
    else if (space !== undefined) endWord();
    else word = (word ?? '') + (single ?? double ?? escaped ?? plain ?? '');
  }
  endCommand();
  return commands;
}

function endOfHereDocument(script: string, start: number, end: string): number {
  for (let at = start; at < script.length;) {
    const lineEnd = script.indexOf('\n', at);
    if (lineEnd < 0) break;
    if (script.slice(at, lineEnd).trim() === end) return lineEnd;
    at = lineEnd + 1;
  }
  return script.length;
}
