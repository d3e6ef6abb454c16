import type { ServerSentEvent } from '../../../http/streams/event-stream.js';
import { toMessageResponse } from '../../messages/messages.dto.js';
import type { StreamedEvent } from './session-stream.repository.js';

export async function* toServerSentEvents(
  events: AsyncGenerator<StreamedEvent | null>,
): AsyncGenerator<ServerSentEvent> {
  for await (const event of events) yield event && toServerSentEvent(event);
}

export function toServerSentEvent({
  seq,
  type,
  status,
  messageId,
  message,
}: StreamedEvent): NonNullable<ServerSentEvent> {
  const data =
    messageId === null ? { status } : { messageId, ...(message ? { message: toMessageResponse(message) } : {}) };
  return { id: String(seq), event: type, data };
}
