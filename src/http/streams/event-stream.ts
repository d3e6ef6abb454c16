import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { unlessStalled } from './unless-stalled.js';

/** null is a heartbeat. */
export type ServerSentEvent = { id: string; event: string; data: object } | null;

/** A reader that takes nothing for this long is disconnected; it can resume with `Last-Event-ID`. */
const MAX_STALL_MS = 30_000;

/** With backpressure: the next event is produced when the reader has taken the last one. */
export function toEventStream(events: AsyncGenerator<ServerSentEvent>): StreamableFile {
  const stream: Readable = Readable.from(
    unlessStalled(written(events), MAX_STALL_MS, () => stream.destroy()),
    { objectMode: false },
  );
  return new StreamableFile(stream, { type: 'text/event-stream; charset=utf-8' });
}

async function* written(events: AsyncGenerator<ServerSentEvent>): AsyncGenerator<string> {
  yield ': connected\n\n';
  for await (const event of events) {
    yield event ? `id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n` : ': alive\n\n';
  }
}
