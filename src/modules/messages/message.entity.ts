/** What a message is made of. Blocks that an agent sent are kept and returned as they came. */
export type ContentBlock = { type: string } & Record<string, unknown>;

export const MESSAGE_ROLES = ['user', 'assistant', 'tool', 'system'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** One row of "messages". */
export interface MessageEntity {
  orgId: string;
  sessionId: string;
  id: string;
  /** Position in the session, from 1. */
  seq: number;
  /** Whose session it is. */
  userId: string;
  role: MessageRole;
  content: ContentBlock[];
  /** The optional fields of a message, as an agent sent them. */
  details: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
  /** The turn that wrote it, by the message that began the turn; absent for messages of people. */
  turnId?: string;
}
