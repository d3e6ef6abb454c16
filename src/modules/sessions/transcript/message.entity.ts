/** Blocks that an agent sent are stored and returned unchanged. */
export type ContentBlock = { type: string } & Record<string, unknown>;

export type MessageRole = 'user' | 'assistant' | 'tool' | 'system';

/** One row of "messages". An interface, because its statements are plain SQL that TypeORM takes no part in. */
export interface MessageEntity {
  orgId: string;
  sessionId: string;
  id: string;
  seq: number;
  userId: string;
  role: MessageRole;
  content: ContentBlock[];
  /** The optional fields, as an agent sent them. */
  details: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
  /** The message that is answered by the turn that wrote this one; null for messages of people. */
  turnId: string | null;
}

export type ShownMessage = Pick<MessageEntity, 'id' | 'role' | 'content' | 'details' | 'createdAt' | 'updatedAt'>;

export function toMessageBody({ id, role, content, details, createdAt, updatedAt }: ShownMessage) {
  return { id, role, content, createdAt: createdAt.getTime(), updatedAt: updatedAt.getTime(), ...details };
}
