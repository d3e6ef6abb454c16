const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Under npm one Ctrl-C arrives twice; closing a terminal also sends several signals. */
const SAME_WISH_MS = 1_000;

export interface StopSignals {
  /** Aborted by the first signal. */
  readonly asked: AbortSignal;
  /** Aborted by a later signal: stop without waiting. */
  readonly urged: AbortSignal;
}

/** From now on signals do not end the process by themselves. */
export function listenForStop(): StopSignals {
  const asked = new AbortController();
  const urged = new AbortController();
  let askedAtMs = 0;
  const onSignal = () => {
    if (!asked.signal.aborted) {
      askedAtMs = performance.now();
      asked.abort();
    } else if (performance.now() - askedAtMs > SAME_WISH_MS) urged.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return { asked: asked.signal, urged: urged.signal };
}
