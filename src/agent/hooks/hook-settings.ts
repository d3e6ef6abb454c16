import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { AgentHome } from '../shared/agent-home.js';
import { HOOK_EVENTS, type HookEvent } from './hook-events.js';
import { isMissing, readSettingsFile } from './settings-file.js';
import { ProjectSettings, UserSettings } from './settings-schema.js';

export interface ConfiguredHook {
  readonly event: HookEvent;
  /** Empty or `*`: all. */
  readonly matcher: string;
  readonly command: string;
  readonly timeoutSeconds: number;
  readonly file: string;
}

/** A snapshot: later changes of the files have no effect on the session. */
export interface LoadedHooks {
  /** The user's first. */
  readonly hooks: readonly ConfiguredHook[];
  /** For people; the hooks of files with problems are left out. */
  readonly problems: readonly string[];
  readonly disabled: boolean;
  /** A project's file that was not read, because its directory is not trusted. */
  readonly untrusted: { readonly file: string; readonly directory: string } | null;
}

export interface HookPlaces {
  readonly home: AgentHome;
  readonly cwd: string;
  /** The search for a project's file in `cwd` and its ancestors ends here. */
  readonly root: string;
}

/** Reads the user's settings and, if trusted, the project's. Never throws. */
export function loadHooks({ home, cwd, root }: HookPlaces): LoadedHooks {
  const user = readSettingsFile<UserSettings>(home.settingsFile, UserSettings);
  const problems = [...user.problems];
  const nothing = { hooks: [], problems, disabled: false, untrusted: null };
  if (user.settings?.hooksDisabled) return { ...nothing, disabled: true };

  const hooks = user.settings ? flatten(user.settings, home.settingsFile) : [];
  const project = findProject(home, cwd, root, problems);
  if (project === null) return { ...nothing, hooks };

  const trusted = (user.settings?.trustedDirectories ?? []).flatMap((path) => realDirectory(path, home.userDirectory));
  const isTrusted = (path: string) => trusted.some((directory) => isWithin(path, directory));
  // Both may be links: the directory where commands run, and the file that defines them.
  if (!isTrusted(project.directory) || !isTrusted(project.realFile)) {
    return { ...nothing, hooks, untrusted: { file: project.file, directory: project.directory } };
  }
  const { settings, problems: flaws } = readSettingsFile<ProjectSettings>(project.realFile, ProjectSettings);
  problems.push(...flaws);
  return { ...nothing, hooks: settings ? [...hooks, ...flatten(settings, project.file)] : hooks };
}

function flatten({ hooks }: ProjectSettings, file: string): ConfiguredHook[] {
  return HOOK_EVENTS.flatMap((event) =>
    hooks[event].flatMap(({ matcher, hooks: commands }) =>
      commands.map(({ command, timeout }) => ({ event, matcher, command, timeoutSeconds: timeout, file })),
    ),
  );
}

interface ProjectFile {
  readonly file: string;
  readonly realFile: string;
  /** Without symbolic links. */
  readonly directory: string;
}

/** The nearest file decides, even if it is not trusted: a repository in another one is its own project. */
function findProject(home: AgentHome, cwd: string, root: string, problems: string[]): ProjectFile | null {
  const [start] = realDirectory(cwd);
  if (start === undefined) return null;
  const [top] = realDirectory(root);
  const last = top !== undefined && isWithin(start, top) ? top : start;
  for (let directory = start; ; directory = dirname(directory)) {
    const file = join(directory, '.agent-platform', 'settings.json');
    const realFile = realFileAt(file, problems);
    if (realFile !== null) return realFile === realFileAt(home.settingsFile, []) ? null : { file, realFile, directory };
    if (directory === last) return null;
  }
}

function realFileAt(file: string, problems: string[]): string | null {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined ? null : realpathSync(file);
  } catch (error) {
    if (!isMissing(error)) problems.push(`${file} cannot be read (${String(error)}). The whole file is left out.`);
    return null;
  }
}

/** Empty when there is no such directory. */
function realDirectory(path: string, userDirectory = ''): string[] {
  const expanded = /^~(?:$|[/\\])/.test(path) && userDirectory !== '' ? join(userDirectory, path.slice(1)) : path;
  try {
    return [realpathSync(expanded)];
  } catch {
    return [];
  }
}

function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
