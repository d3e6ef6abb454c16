import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats a request until it has the expected status. After `ms` there is one last attempt: a promise of `ms` has to
 * hold for a request that begins later, however slow the machine is.
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
