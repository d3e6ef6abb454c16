import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;
/** Looking for zombies reads a file of every process, so only every tenth poll does. */
const POLLS_PER_ZOMBIE_CHECK = 10;

/** Signals all processes of a group; on Windows, which has none, only its first. */
export function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? id : -id, signal);
  } catch {
    // It has ended already.
  }
}

/** Waits until no process of the group runs; false when time is up. */
export async function isGroupGoneWithin(id: number, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (let polls = 1; performance.now() < deadline; polls += 1) {
    if (!hasMember(id)) return true;
    if (polls % POLLS_PER_ZOMBIE_CHECK === 0 && !hasRunningMember(id)) return true;
    await delay(POLL_MS);
  }
  return !hasMember(id) || !hasRunningMember(id);
}

function hasMember(groupId: number): boolean {
  try {
    process.kill(-groupId, 0);
    return true;
  } catch {
    return false;
  }
}

/** Zombies do not count: in a container whose first process does not reap, they stay in their group for ever. */
function hasRunningMember(groupId: number): boolean {
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      const [state, , group] = statusOf(pid);
      return Number(group) === groupId && state !== 'Z' && state !== 'X';
    });
}

/** State, parent and group; empty when the process has just ended. */
function statusOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
