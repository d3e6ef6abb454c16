import { readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentHome } from '../shared/agent-home.js';

const MAX_LINKS = 40;
/** The directory of a project's own settings, as of the user's. */
const SETTINGS_DIRECTORY = '.agent-platform';
/** What a shell gives a meaning between words. Paths with such characters in them are read in pieces. */
const BREAKS = /[\s;&|()<>`"'{}[\]!?*^%,$\\=]+/;

const MAY_BE_A_PATH = /[/\\~]|^\.{1,2}$|\.agent-platform/i;
/** A command that names more than this is not looked through. */
const MAX_WORDS = 2_000;

export interface PlaceOptions {
  /** The session's directory. */
  readonly cwd: string;
  /** Sessions work below this one. */
  readonly root: string;
  readonly home: AgentHome;
}

/** Where a session works: what is inside, and what belongs to the client itself. Links are followed. */
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

  /** Whether a path lies in the session's directory, however it is read. */
  isInside(path: string): boolean {
    return this.readings(path).every((real) => real !== null && isWithin(this.cwd, real));
  }

  /** Whether a path is one of the client's own files: its home, and the settings of projects. */
  isOwn(path: string): boolean {
    return this.readings(path).some((real) => real !== null && this.belongsToClient(real));
  }

  /** Whether a command names one of the client's own files, or too many to tell. It can hide them: this finds what is plain. */
  namesOwn(command: string): boolean {
    if (command.includes('AGENT_PLATFORM_HOME')) return true;
    const words = new Set(command.split(BREAKS).filter((word) => MAY_BE_A_PATH.test(word)));
    return words.size > MAX_WORDS || [...words].some((word) => this.isOwn(word));
  }

  /** As the system reads it, and as programs do that shorten it first; null where it cannot be told. */
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
    // Not `join`: it would shorten "link/.." before the link is followed.
    return isAbsolute(path) ? path : this.options.cwd + sep + path;
  }

  private belongsToClient(real: string): boolean {
    // In any letter case: some file systems do not tell them apart.
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

/** The path without links, whether or not it exists; null when its links never end. */
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
    return null; // no link, or nothing there
  }
}
