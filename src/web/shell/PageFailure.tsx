import { Failure } from '../ui/Asked.js';

/** A fault of the page itself; the navigation stays. */
export function PageFailure({ error, reset }: { error: unknown; reset: () => void }) {
  return <Failure error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />;
}
