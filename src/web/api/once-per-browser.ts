import { followWhileVisible, type LastId } from './visible.js';

const LOCK = 'live-events';

/**
 * Runs `follow` in one tab of this browser at a time; when that tab closes, another one takes over. Over HTTP/1.1 a browser opens
 * six connections to a service, so ten tabs with a stream each would wait for each other for ever. Where the page is not a
 * secure context (plain HTTP from another machine) there are no locks: then every visible tab has its own. Returns how to end it.
 */
export function followOncePerBrowser(follow: (signal: AbortSignal, lastId: LastId) => Promise<void>): () => void {
  if (!('locks' in navigator)) return followWhileVisible(follow);
  const end = new AbortController();
  navigator.locks.request(LOCK, { signal: end.signal }, () => follow(end.signal, {})).catch(() => undefined); // ended while it waited
  return () => end.abort();
}
