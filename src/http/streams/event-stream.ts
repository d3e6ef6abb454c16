import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** null is a heartbeat. */
export type ServerSentEvent = { id: string; event: string; data: object } | null;

/** A reader that takes nothing for this long is disconnected; it can resume with `Last-Event-ID`. */
const MAX_STALL_MS = 30_000;

/** With backpressure: the next event is produced when the reader has taken the last one. */
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
      clearTimeout(stalled);
    }
  }
}
