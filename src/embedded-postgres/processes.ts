import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Arguments joined by spaces; empty for a zombie, null when there is no such process. */
export function commandLine(pid: number): string | null {
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return isAlive(pid) ? '' : null;
    }
  }
  const { status, stdout } = spawnSync('ps', ['-ww', '-p', `${pid}`, '-o', 'args='], { encoding: 'utf8' });
  return status === 0 ? stdout : null;
}
