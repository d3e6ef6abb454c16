import type { RelayMessage } from '../../protocol/relay-protocol.js';
import type { AgentMessage } from '../sessions/transcript/transcript.service.js';

export function toAgentMessage({ id, role, content, ...details }: RelayMessage): AgentMessage {
  return { id, role, content, details };
}
