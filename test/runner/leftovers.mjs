import { setTimeout as sleep } from 'node:timers/promises';

/** What keeps a process alive and belongs to the test that made it. Node's own pipes to the parent process are not here. */
const WATCHED = [
  'TCPServerWrap',
  'TCPSocketWrap',
  'TLSWrap',
  'Timeout',
  'Immediate',
  'ProcessWrap',
  'FSEvent',
  'Worker',
];
const SETTLE_MS = 2_000;
const POLL_MS = 10;

/** How many of each there are now. */
export function liveResources() {
  const counts = {};
  for (const type of process.getActiveResourcesInfo()) {
    if (WATCHED.includes(type)) counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}

/** Waits for what is being closed. Names what a file has left behind, such as "2 Timeout, 1 TCPServerWrap"; null for nothing. */
export async function findLeftovers(before) {
  for (const giveUpAt = Date.now() + SETTLE_MS; ; await sleep(POLL_MS)) {
    const more = Object.entries(liveResources())
      .map(([type, count]) => [type, count - (before[type] ?? 0)])
      .filter(([, surplus]) => surplus > 0);
    if (more.length === 0) return null;
    if (Date.now() > giveUpAt) return more.map(([type, surplus]) => `${surplus} ${type}`).join(', ');
  }
}
