import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface DatabaseUser {
  uid: number;
  gid: number;
}

const NOBODY: DatabaseUser = { uid: 65534, gid: 65534 };

/** Postgres refuses to run as root; initdb needs a user with a passwd entry. null: no change of user. */
export function databaseUserFor(clusterDir: string): DatabaseUser | null {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(join(clusterDir, 'PG_VERSION'), { throwIfNoEntry: false });
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : nobody();
}

function nobody(): DatabaseUser {
  const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return entry ? { uid: Number(entry[1]), gid: Number(entry[2]) } : NOBODY;
}

/** Without PG* variables of the caller, with English messages, in a directory that every user may enter. */
export function spawnOptionsFor(user: DatabaseUser | null) {
  return { ...user, cwd: '/', env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' } };
}

/** By trying: modes do not show access lists, mount options and namespaces. */
export function canEnter(user: DatabaseUser | null, directory: string): boolean {
  const attempt = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], spawnOptionsFor(user));
  refuseInterrupted(attempt.signal);
  if (attempt.error) throw new Error(`Cannot run programs as uid ${user?.uid}: ${attempt.error.message}`);
  return attempt.status === 0;
}

/** A probe that was ended by Ctrl-C says nothing about what it tested. */
export function refuseInterrupted(signal: NodeJS.Signals | null): void {
  if (signal) throw new Error(`The start was broken off by ${signal}.`);
}
