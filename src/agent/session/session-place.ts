import { readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentHome } from '../shared/agent-home.js';

const MAX_LINKS = 40;
const SETTINGS_DIRECTORY = '.agent-platform';
/** Characters with a meaning to a shell. A path that contains one is read in pieces. */
const BREAKS = /[\s;&|()<>`"'{}[\]!?*^%,$\\=]+/;

const MAY_BE_A_PATH = /[/\\~]|^\.{1,2}$|\.agent-platform/i;
/** Commands with more words are treated as naming own files. */
const MAX_WORDS = 2_000;

export interface PlaceOptions {
  readonly cwd: string;
  /** The parent of all session directories. */
  readonly root: string;
  readonly home: AgentHome;
}

/** Which paths are inside the session, and which belong to the client itself. Symbolic links are followed. */
export class SessionPlace {
  private readonly cwd: string;
  private readonly root: string;
  private readonly home: string;

  constructor(private readonly options: PlaceOptions) {
    const { cwd, root, home } = options;
    this.cwd = followed(cwd) ?? cwd;
    this.root = followed(root) ?? root;
    this.home = followed(home.directory) ?? home.directory;
  }

  isInside(path: string): boolean {
    return this.readings(path).every((real) => real !== null && isWithin(this.cwd, real));
  }

  /** The client's home, and the settings of projects. */
  isOwn(path: string): boolean {
    return this.readings(path).some((real) => real !== null && this.belongsToClient(real));
  }

  /** Finds plain mentions only: a command can hide a path. Too many words count as a mention. */
  namesOwn(command: string): boolean {
    if (command.includes('AGENT_PLATFORM_HOME')) return true;
    const words = new Set(command.split(BREAKS).filter((word) => MAY_BE_A_PATH.test(word)));
    return words.size > MAX_WORDS || [...words].some((word) => this.isOwn(word));
  }

  /** As the system resolves it, and with `..` resolved before links, as some programs do; null if impossible. */
  private readings(path: string): (string | null)[] {
    const absolute = this.absolute(path);
    if (absolute === null) return [null];
    return [...new Set([followed(absolute), followed(resolve(absolute))])];
  }

  private absolute(path: string): string | null {
    if (path.includes('\0')) return null;
    if (/^file:/i.test(path)) {
      try {
        return fileURLToPath(path);
      } catch {
        return null;
      }
    }
    const [, user, rest = ''] = /^~([^/\\]*)(.*)$/s.exec(path) ?? [];
    if (user !== undefined) return user === '' ? this.options.home.userDirectory + rest : null;
    // Not `join`, which would shorten "link/.." before the link is followed.
    return isAbsolute(path) ? path : this.options.cwd + sep + path;
  }

  private belongsToClient(real: string): boolean {
    // Case-insensitive, as some file systems are.
    const [path, home, root] = [real, this.home, this.root].map((one) => one.toLowerCase()) as [string, string, string];
    const isWork = isWithin(home, root) && isWithin(root, path);
    if (isWithin(home, path) && !isWork) return true;
    return isWithin(root, path) && relative(root, path).split(sep).includes(SETTINGS_DIRECTORY);
  }
}

function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Without symbolic links, whether or not it exists; null for a loop of links. */
function followed(absolute: string): string | null {
  let links = 0;
  const { root } = parse(absolute);
  let real = root;
  const steps = stepsOf(absolute);
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    if (step === '..') {
      real = dirname(real);
      continue;
    }
    const next = join(real, step);
    const target = linkTarget(next);
    if (target === null) {
      real = next;
    } else if (++links > MAX_LINKS) {
      return null;
    } else {
      if (isAbsolute(target)) real = parse(target).root;
      steps.unshift(...stepsOf(target));
    }
  }
  return real;
}

function stepsOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep === '\\' ? /[\\/]/ : sep)
    .filter((step) => step !== '' && step !== '.');
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null; // not a link, or missing
  }
}
