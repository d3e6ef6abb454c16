const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Under npm one Ctrl-C arrives twice; closing a terminal also sends several signals. */
const DUPLICATE_SIGNAL_MS = 1_000;

export interface StopSignals {
  /** Aborted by the first signal. */
  readonly stopRequested: AbortSignal;
  /** Aborted by a later signal: stop without waiting. */
  readonly forceStop: AbortSignal;
}

/** From now on signals do not end the process by themselves. */
export function listenForStop(): StopSignals {
  const stopRequested = new AbortController();
  const forceStop = new AbortController();
  let requestedAtMs = 0;
  const onSignal = () => {
    if (!stopRequested.signal.aborted) {
      requestedAtMs = performance.now();
      stopRequested.abort();
    } else if (performance.now() - requestedAtMs > DUPLICATE_SIGNAL_MS) forceStop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return { stopRequested: stopRequested.signal, forceStop: forceStop.signal };
}
