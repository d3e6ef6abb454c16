const waiting: (() => void)[] = [];

/** Yields to the event loop; one caller continues per round, so a hundred long tasks delay others by one task only. */
export function yieldFairly(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}
