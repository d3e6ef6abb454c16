import { createHash, randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, chmod, chown, link, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { canEnter, type DatabaseUser, databaseUserFor } from './database-user.js';

/** For root, when the database user cannot reach the configured directory. */
const SHARED_DIR = '/var/lib/agent-platform';

export interface DataDirectory {
  path: string;
  clusterDir: string;
  passwordFile: string;
  logFile: string;
  /** Reachable for the database user; for copies of the binaries. */
  copiesDir: string;
  /** The user that runs Postgres; null: the user of this process. */
  user: DatabaseUser | null;
}

export function isCluster(clusterDir: string): boolean {
  return existsSync(join(clusterDir, 'PG_VERSION'));
}

/** An existing cluster is found again even if permissions have changed. */
export async function locateDataDirectory(
  requested: string,
  onProgress: (message: string) => void,
): Promise<DataDirectory> {
  const here = describe(await makeDirectory(requested));
  if (!here.user) return here;
  const reachable = canEnter(here.user, here.path);
  if (isCluster(here.clusterDir)) {
    if (reachable) return here;
    throw new Error(
      `The user who runs Postgres (uid ${here.user.uid}) can no longer reach the database in ${here.path}. ` +
        'Make the directories above it accessible, or move it and set DATA_DIR.',
    );
  }
  const digest = createHash('sha256').update(requested).digest('hex').slice(0, 8);
  const elsewhere = join(SHARED_DIR, `${basename(dirname(requested))}-${digest}`);
  if (reachable && !isCluster(join(elsewhere, 'postgres'))) return here;

  const cannot = reachable ? 'could not' : 'cannot';
  onProgress(`The database is in ${elsewhere}: the user who runs Postgres ${cannot} reach ${requested}.`);
  await makeSharedDirectory(SHARED_DIR);
  return describe(await makeDirectory(elsewhere));
}

function describe(path: string): DataDirectory {
  const clusterDir = join(path, 'postgres');
  const user = databaseUserFor(clusterDir);
  return {
    path,
    clusterDir,
    passwordFile: join(path, 'postgres-password'),
    logFile: join(path, 'postgres.log'),
    copiesDir: user ? SHARED_DIR : path,
    user,
  };
}

async function makeDirectory(path: string): Promise<string> {
  try {
    const created = await mkdir(path, { recursive: true });
    // The database user may pass through to its own directory only.
    if (created) await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700);
    await access(path, constants.W_OK | constants.X_OK);
    return await realpath(path);
  } catch (error) {
    throw new Error(
      `Cannot write to the data directory ${path}. Set DATA_DIR to one that this user may write, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** Open to every user, whatever the umask; an existing directory is not changed. */
export async function makeSharedDirectory(path: string): Promise<void> {
  if (await mkdir(path, { recursive: true })) await chmod(path, 0o755);
}

export async function readOrCreatePassword(home: DataDirectory): Promise<string> {
  if (!existsSync(home.passwordFile)) {
    if (isCluster(home.clusterDir)) {
      throw new Error(`${home.passwordFile} is missing; without it the database beside it cannot be opened.`);
    }
    const draft = `${home.passwordFile}.new-${process.pid}`;
    await writeFile(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
    await giveTo(home.user, draft);
    // Linking never replaces: two processes that start at once end up with the same password.
    await link(draft, home.passwordFile).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    await rm(draft);
  }
  return (await readFile(home.passwordFile, 'utf8')).trim();
}

export async function giveTo(user: DatabaseUser | null, path: string): Promise<void> {
  if (user) await chown(path, user.uid, user.gid);
}
