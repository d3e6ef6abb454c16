import type { RelayMessage } from '../../protocol/relay-protocol.js';
import type { AgentMessage } from '../turns/agent-messages.js';

export function toAgentMessage({ id, role, content, ...details }: RelayMessage): AgentMessage {
  return { id, role, content, details };
}
