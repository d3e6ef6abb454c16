import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks until the status is the expected one. After `ms` it asks a last time: what is promised within that time has to
 * hold for a request that begins after it, however slow the machine is.
 */
export async function statusWithin(
  ms: number,
  expected: number,
  ask: () => Promise<{ readonly status: number }>,
): Promise<number> {
  const deadline = performance.now() + ms;
  for (;;) {
    const isLast = performance.now() >= deadline;
    const { status } = await ask();
    if (status === expected || isLast) return status;
    await delay(Math.max(1, Math.min(25, deadline - performance.now())));
  }
}
