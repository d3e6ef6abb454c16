import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** One server-sent event; null is a sign of life. */
export type ServerSentEvent = { id: string; event: string; data: object } | null;

/** A reader that takes nothing for this long is cut off; it can come back with `Last-Event-ID`. */
const MAX_STALL_MS = 30_000;

/**
 * Sends events as they are produced. The producer is asked for the next one only when the reader has taken the last: what
 * a slow reader has not read yet waits in the database, not in memory.
 */
export function toEventStream(events: AsyncGenerator<ServerSentEvent>): StreamableFile {
  const stream: Readable = Readable.from(
    written(events, () => stream.destroy()),
    { objectMode: false },
  );
  return new StreamableFile(stream, { type: 'text/event-stream; charset=utf-8' });
}

async function* written(events: AsyncGenerator<ServerSentEvent>, cut: () => void): AsyncGenerator<string> {
  yield ': connected\n\n';
  for await (const event of events) {
    const stalled = setTimeout(cut, MAX_STALL_MS);
    try {
      yield event ? `id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n` : ': alive\n\n';
    } finally {
      clearTimeout(stalled); // also when the reader hung up meanwhile
    }
  }
}
