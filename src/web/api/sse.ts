import { EventCutter, type StreamEvent } from './event-cutter.js';

export interface Follower {
  readonly onEvent: (event: StreamEvent) => void;
  /** Whether the stream is open at the moment. */
  readonly onState?: (isOpen: boolean) => void;
  /** An answer that is no stream: the follower stops when this says so. */
  readonly shouldStop?: (status: number) => boolean;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;
/** The service sends a sign of life more often than that. */
const SILENCE_MS = 40_000;

/**
 * Follows a stream until `signal` aborts; after a break it goes on behind the last event that it saw. `fetch` instead of
 * `EventSource`, which tells no status and cannot begin behind an event.
 */
export async function followStream(
  address: string,
  follower: Follower,
  signal: AbortSignal,
  lastId?: string,
): Promise<void> {
  let last = lastId ?? null;
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const headers = { Accept: 'text/event-stream', ...(last === null ? {} : { 'Last-Event-ID': last }) };
      const response = await fetch(address, { headers, signal, cache: 'no-store' });
      if (response.ok && response.body) {
        waitMs = FIRST_WAIT_MS;
        follower.onState?.(true);
        await read(response.body, (event) => {
          last = event.id ?? last;
          follower.onEvent(event);
        });
      } else if (follower.shouldStop?.(response.status)) return;
    } catch {
      // Hung up, or the service is not there: both are tried again.
    }
    follower.onState?.(false);
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
  }
}

async function read(body: ReadableStream<Uint8Array>, onEvent: (event: StreamEvent) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cutter = new EventCutter();
  for (;;) {
    const silence = setTimeout(() => void reader.cancel(), SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(silence));
    if (done) return;
    cutter.push(decoder.decode(value, { stream: true })).forEach(onEvent);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
