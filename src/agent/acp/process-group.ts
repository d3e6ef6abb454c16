import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;

export function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-id, signal);
  } catch {
    // It has gone.
  }
}

/** Whether the group has a process that runs. */
export function isGroupAlive(id: number): boolean {
  try {
    process.kill(-id, 0);
  } catch {
    return false;
  }
  return process.platform !== 'linux' || hasRunningMember(id);
}

export async function isGroupGoneWithin(id: number, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (isGroupAlive(id)) {
    if (performance.now() >= deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** Where the first process of a container does not reap, those that have ended stay in their group for ever. */
function hasRunningMember(groupId: number): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      const [state, , group] = statusOf(pid);
      return Number(group) === groupId && state !== 'Z' && state !== 'X';
    });
}

/** State, parent and group of a process; nothing when it has just gone. */
function statusOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
