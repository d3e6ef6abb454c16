import type { ServerSentEvent } from '../../../http/streams/event-stream.js';
import { type ShownMessage, toMessageBody } from '../transcript/message.entity.js';

export interface StreamedEvent {
  seq: number;
  type: string;
  status: string | null;
  messageId: string | null;
  /** In its present form; null when it is too large to be sent along. */
  message: ShownMessage | null;
}

export async function* toServerSentEvents(
  events: AsyncGenerator<StreamedEvent | null>,
): AsyncGenerator<ServerSentEvent> {
  for await (const event of events) yield event && toServerSentEvent(event);
}

export function toServerSentEvent(event: StreamedEvent): NonNullable<ServerSentEvent> {
  const { seq, type, status, messageId, message } = event;
  const data = messageId === null ? { status } : { messageId, ...(message ? { message: toMessageBody(message) } : {}) };
  return { id: String(seq), event: type, data };
}
