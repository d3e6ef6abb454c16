import type { RelayMessage } from '../../protocol/relay-protocol.js';
import type { AgentMessage } from '../messages/turn-messages.js';

export function toAgentMessage({ id, role, content, ...details }: RelayMessage): AgentMessage {
  return { id, role, content, details };
}
