import type { components } from 'openapi-types';
import { api, bodyOf } from './client.js';

export type Message = components['schemas']['MessageResponse'];
export type Block = Message['content'][number];
export type ToolUse = components['schemas']['ToolUseBlock'];
export type ToolResult = components['schemas']['ToolResultBlock'];
export type AttachmentSource = components['schemas']['AttachmentSource'];
export type NewMessage = components['schemas']['PostMessageRequest'];

/** Newest first. */
export interface MessagesPage {
  readonly messages: readonly Message[];
  /** Where older ones go on; null: there are none. */
  readonly older: string | null;
}

export interface PageRequest {
  readonly sessionId: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly signal: AbortSignal;
}

export type ReadMessages = (request: PageRequest) => Promise<MessagesPage>;

type Answer = components['schemas']['MessagesResponse'];

const toPage = ({ messages, pagination }: Answer): MessagesPage => ({
  messages,
  older: pagination.nextCursor ?? null,
});

export const readOwn: ReadMessages = async ({ sessionId, limit, cursor, signal }) =>
  toPage(
    await bodyOf(
      api.GET('/api/v0/sessions/{sessionId}/messages', {
        params: { path: { sessionId }, query: { limit: String(limit), cursor } },
        signal,
      }),
    ),
  );

/** Of anybody's session; every page is an entry in the audit log. */
export const readOfOrganization: ReadMessages = async ({ sessionId, limit, cursor, signal }) =>
  toPage(
    await bodyOf(
      api.GET('/api/v0/organization/sessions/{sessionId}/messages', {
        params: { path: { sessionId }, query: { limit, cursor } },
        signal,
      }),
    ),
  );

export function readMessage(sessionId: string, messageId: string, signal: AbortSignal): Promise<Message> {
  return bodyOf(
    api.GET('/api/v0/sessions/{sessionId}/messages/{messageId}', {
      params: { path: { sessionId, messageId } },
      signal,
    }),
  );
}
