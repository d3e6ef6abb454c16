import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { AgentHome } from '../shared/agent-home.js';
import { HOOK_EVENTS, type HookEvent } from './hook-events.js';
import { isMissing, readSettingsFile } from './settings-file.js';
import { ProjectSettings, UserSettings } from './settings-schema.js';

/** One command that is bound to an event. */
export interface ConfiguredHook {
  readonly event: HookEvent;
  /** Empty or `*`: all. */
  readonly matcher: string;
  readonly command: string;
  readonly timeoutSeconds: number;
  /** The settings file that says so. */
  readonly file: string;
}

/** The hooks of a session as the files said when they were read. Later changes of the files do not change it. */
export interface LoadedHooks {
  /** Those of the user first. */
  readonly hooks: readonly ConfiguredHook[];
  /** What is wrong with the files, for people; the hooks of these files are not in the list. */
  readonly problems: readonly string[];
  /** The user has switched hooks off. */
  readonly disabled: boolean;
  /** A project's file that was not even read, because the user does not trust its directory. */
  readonly untrusted: { readonly file: string; readonly directory: string } | null;
}

export interface HookPlaces {
  readonly home: AgentHome;
  /** Of the session. */
  readonly cwd: string;
  /** A project's file is looked for in `cwd` and above, but not above this directory. */
  readonly root: string;
}

/** Reads the user's settings and, if the user trusts it, the project's. Does not throw. */
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
  // Both, as either may be a link: what the file says, and the place where its commands will run.
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
  /** The directory of the project, links resolved. */
  readonly directory: string;
}

/** The nearest file decides, even when it is not trusted: a repository inside of another one is a project of its own. */
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

/** None when there is no such directory. */
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
