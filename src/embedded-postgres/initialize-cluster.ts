import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DataDirectory, giveTo, isCluster } from './data-directory.js';
import { spawnOptionsFor } from './database-user.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { isAlive } from './processes.js';

const run = promisify(execFile);

export const SUPERUSER = 'agent_platform';

/** Builds the cluster in a temporary place and renames it, so that an incomplete one is never started. */
export async function initializeCluster(home: DataDirectory, binaries: PostgresBinaries, sync: boolean): Promise<void> {
  await removeUnfinished(home);
  const unfinished = join(home.path, `postgres.new-${process.pid}`);
  await mkdir(unfinished, { mode: 0o700 });
  await giveTo(home.user, unfinished);
  // Text sorts by code point, independent of the locales of this machine.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = [`--username=${SUPERUSER}`, '--auth=scram-sha-256', `--pwfile=${home.passwordFile}`];
  const storage = ['--data-checksums', ...(sync ? [] : ['--no-sync'])];
  const args = ['-D', unfinished, ...access, ...locale, ...storage, '--no-instructions'];
  try {
    await run(join(binaries.directory, 'initdb'), args, spawnOptionsFor(home.user));
    await rename(unfinished, home.clusterDir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process may have been faster.
    if (isCluster(home.clusterDir)) return;
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`Creating the database in ${home.clusterDir} failed: ${stderr?.trim() || message}`, {
      cause: error,
    });
  }
}

/** Left by processes that were killed. */
async function removeUnfinished(home: DataDirectory): Promise<void> {
  for (const name of await readdir(home.path)) {
    const maker = /^postgres\.new-(\d+)$/.exec(name);
    if (!maker || (Number(maker[1]) !== process.pid && isAlive(Number(maker[1])))) continue;
    // An initdb that outlived its parent may still write there; a later start removes it.
    await rm(join(home.path, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}
