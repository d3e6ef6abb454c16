/** Over HTTP/1.1 a browser opens six connections to a service: a hidden tab gives its stream back. */
const HANG_UP_AFTER_MS = 1_000;

export interface LastId {
  current?: string;
}

/** Runs `follow` while the tab is visible and goes on where it was when the tab is shown again; returns how to end it. */
export function followWhileVisible(follow: (signal: AbortSignal, lastId: LastId) => Promise<void>): () => void {
  const lastId: LastId = {};
  let open: AbortController | null = null;
  let hangUp: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    open?.abort();
    open = null;
  };
  const look = () => {
    clearTimeout(hangUp);
    if (document.visibilityState === 'hidden') {
      hangUp = setTimeout(close, HANG_UP_AFTER_MS);
    } else if (!open) {
      open = new AbortController();
      void follow(open.signal, lastId);
    }
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    clearTimeout(hangUp);
    close();
  };
}
