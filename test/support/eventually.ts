import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats `attempt` until it returns something other than null, undefined or false; fails after the timeout. */
export async function eventually<T>(
  what: string,
  attempt: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const result = await attempt();
    if (result !== null && result !== undefined && result !== false) return result;
    if (performance.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await sleep(50);
  }
}
