/** What a command line made, as both the agent client and whoever reads telemetry count it. */
export type MadeByCommand = 'git_commit' | 'pull_request_created';

const SHELL = /(?:^|\/)(?:ba|da|z|k|a)?sh$/;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
/** What stands before a command and runs it; its options stand between. */
const WRAPPERS = new Set('sudo doas env nohup time nice command exec xargs if then else while do ! {'.split(' '));
/** Options before the subcommand that take the next word as their value. */
const VALUED_OPTIONS = new Set(['-c', '-C', '--git-dir', '--work-tree', '--namespace', '-R', '--repo']);
const WITHOUT_EFFECT = new Set(['--dry-run', '--help', '-h']);
/** The rest is left to the person in front of the browser. */
const IN_BROWSER = new Set(['--web', '-w']);
const PULL_REQUESTS: readonly (readonly [program: string, ...subcommand: string[]])[] = [
  ['gh', 'pr', 'create'],
  ['gh', 'pr', 'new'],
  ['glab', 'mr', 'create'],
  ['glab', 'mr', 'new'],
];
/** Nobody types more, and what agents write in addition is the text of files. */
const MAX_SCRIPT = 50_000;
/** Scripts for a shell within scripts for a shell. */
const MAX_DEPTH = 3;

/** Commits and pull requests that a command makes: a script, or its words. Nothing else of it is kept. */
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
  return readScript(script.slice(0, MAX_SCRIPT)).flatMap((words) => plainCommands(words, depth));
}

/** A command without what stands before it; those of its script when it is a shell that is given one. */
function plainCommands(words: readonly string[], depth: number): string[][] {
  const own = unwrap(words);
  const option = SHELL.test(own[0] ?? '') ? own.findIndex((word) => /^-[a-z]*c[a-z]*$/.test(word)) : -1;
  if (option < 0 || depth === MAX_DEPTH) return [own];
  return commandsOfScript(own[option + 1] ?? '', depth + 1);
}

function unwrap(words: readonly string[]): string[] {
  let isWrapped = false;
  const start = words.findIndex((word) => {
    const isWrapper = WRAPPERS.has(baseName(word));
    const isBefore = isWrapper || ASSIGNMENT.test(word) || (isWrapped && word.startsWith('-'));
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

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
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
