const waiting: (() => void)[] = [];

/**
 * Resolves in a round of the event loop of its own: of all that wait here, one goes on in each round, and whatever else
 * has arrived is dealt with in between. So a hundred long pieces of work delay others by one piece, not by a hundred.
 */
export function ownRound(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}
