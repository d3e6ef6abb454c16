/** Ctrl-C, a supervisor, and a terminal that was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Under npm one Ctrl-C arrives twice, from the terminal and from npm; a closed terminal too says so more than once. */
const SAME_WISH_MS = 1_000;

export interface StopSignals {
  /** Aborted by the first signal. */
  readonly asked: AbortSignal;
  /** Aborted by a later one: somebody does not want to wait. */
  readonly urged: AbortSignal;
}

/** From now on signals end the process only through what listens to these. */
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
