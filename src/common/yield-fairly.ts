const waiting: (() => void)[] = [];

/**
 * Yields to the event loop. Only one caller continues in each round, so a hundred long tasks delay other work by one
 * task, not by a hundred.
 */
export function yieldFairly(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}
