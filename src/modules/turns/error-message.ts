import { newId } from '../../common/new-id.js';
import type { AgentMessage } from '../sessions/transcript/transcript.service.js';

/** The service's own answer to a message that no agent will answer. */
export function errorMessage(messageId: string, text: string): AgentMessage {
  const details = { isError: true, parentId: messageId };
  return { id: newId(), role: 'assistant', content: [{ type: 'text', text, id: newId() }], details };
}
