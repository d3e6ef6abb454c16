import { setTimeout as sleep } from 'node:timers/promises';

/** Resources that keep a process alive and belong to a test; without Node's own pipes to the parent process. */
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
/**
 * With --runInBand Jest's reporter shares the process: it has an interval and, for 100 ms after each file, a timeout.
 */
const REPORTER_MS = 150;

/** How many of each exist before a file runs, without the reporter's timeout. */
export async function resourcesBefore() {
  let lowest = liveResources();
  for (const giveUpAt = Date.now() + REPORTER_MS; lowest.Timeout && Date.now() < giveUpAt; await sleep(POLL_MS)) {
    const now = liveResources();
    if ((now.Timeout ?? 0) < lowest.Timeout) lowest = now;
  }
  return lowest;
}

/**
 * Waits for resources that are being closed. Returns what is left, such as "2 Timeout, 1 TCPServerWrap"; null for
 * nothing.
 */
export async function findLeftovers(before) {
  for (const giveUpAt = Date.now() + SETTLE_MS; ; await sleep(POLL_MS)) {
    const more = Object.entries(liveResources())
      .map(([type, count]) => [type, count - (before[type] ?? 0)])
      .filter(([, surplus]) => surplus > 0);
    if (more.length === 0) return null;
    if (Date.now() > giveUpAt) return more.map(([type, surplus]) => `${surplus} ${type}`).join(', ');
  }
}

function liveResources() {
  const counts = {};
  for (const type of process.getActiveResourcesInfo()) {
    if (WATCHED.includes(type)) counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}
