import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { PageQuery, Pagination } from '../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../http/paging/paging.js';
import { BodyLimit } from '../../common/validation/body-reader.js';
import { Matches, NestedList, OneOf, Optional, TextLength } from '../../common/validation/rules.js';
import type { SessionStatus } from '../sessions/session.entity.js';
import { CONTENT_BLOCKS } from './content-blocks.dto.js';
import { type ContentBlock, type ShownMessage, toMessageBody } from '../sessions/transcript/message.entity.js';

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
/** 20 MiB of attachments in base64, and the text. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

const base64Data = () =>
  Matches((value) => typeof value === 'string' && value !== '', {
    message: 'must be base64',
    schema: { type: 'string', minLength: 1 },
  });

/** An image that comes with a message. */
export class ImageAttachment {
  /**
   * Always `base64`.
   * @example "base64"
   */
  @OneOf(['base64'])
  type: 'base64';

  /**
   * The image in canonical base64; at most 10 MiB decoded, and 20 MiB for all attachments of a message. It has to begin with
   * the signature of its media type.
   * @example "iVBORw0KGgo="
   */
  @base64Data()
  data: string;

  /**
   * Media type.
   * @example "image/png"
   */
  @OneOf(IMAGE_TYPES)
  mediaType: string;
}

/** A file that comes with a message: a PDF or text. */
export class FileAttachment {
  /**
   * Always `base64`.
   * @example "base64"
   */
  @OneOf(['base64'])
  type: 'base64';

  /**
   * Media type: `application/pdf` or `text/*`.
   * @example "application/pdf"
   */
  @Matches((value) => typeof value === 'string' && /^(application\/pdf|text\/[\w.+-]{1,100})$/.test(value), {
    message: 'must be application/pdf or text/*',
    schema: { type: 'string', pattern: '^(application/pdf|text/.+)$' },
  })
  mediaType: string;

  /**
   * The file in canonical base64; at most 10 MiB decoded, and 20 MiB for all attachments of a message. A PDF has to begin
   * with `%PDF-`; text must not begin like a PDF or an image.
   * @example "JVBERi0xLjcK"
   */
  @base64Data()
  data: string;

  /**
   * Text that was extracted from it.
   * @example "Chapter 1"
   */
  @Optional()
  @TextLength(0, 5_000_000)
  parsedData?: string;

  /**
   * File name.
   * @example "report.pdf"
   */
  @Optional()
  @TextLength(1, 255)
  name?: string;

  /**
   * File path; never used as a path on the server.
   * @example "docs/report.pdf"
   */
  @Optional()
  @TextLength(1, 1000)
  path?: string;
}

/** A message to a session. */
@BodyLimit(MAX_BODY_BYTES)
export class PostMessageRequest {
  /**
   * The text, 1 to 1,000,000 characters.
   * @example "Fix the flaky login test"
   */
  @TextLength(1, 1_000_000)
  text: string;

  /** Images, at most 20: JPEG, PNG, GIF or WebP. */
  @Optional()
  @NestedList(() => ImageAttachment, 0, 20)
  images?: ImageAttachment[];

  /** Files, at most 20: PDF or text. */
  @Optional()
  @NestedList(() => FileAttachment, 0, 20)
  files?: FileAttachment[];

  /**
   * Moves the session to this computer first; the session's own computer when left out.
   * @example "01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f"
   */
  @Optional()
  @TextLength(1, 200)
  computerId?: string;
}

/** A message that was accepted. */
export class PostMessageResponse {
  /**
   * Id of the user message.
   * @example "01980f73-6d55-7e6f-9071-8c9d0e1f2a3b"
   */
  messageId: string;

  /**
   * Status of the session after that: `running` also when the agent took the message at once.
   * @example "pending"
   */
  status: 'idle' | 'pending' | 'running';
}

/** What a session does now. */
export class InterruptResponse {
  /**
   * Status of the session after that.
   * @example "idle"
   */
  status: 'idle' | 'pending' | 'running';
}

/** Which computer the session has to be on. */
export class GetMessageQuery {
  /**
   * 404 unless the session is on this computer.
   * @example "01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f"
   */
  @Optional()
  @TextLength(1, 200)
  computerId?: string;
}

/** Which messages to list. */
export class ListMessagesQuery extends PageQuery {
  /**
   * 404 unless the session is on this computer.
   * @example "01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f"
   */
  @Optional()
  @TextLength(1, 200)
  computerId?: string;

  /**
   * Only messages of this role.
   * @example "user"
   */
  @Optional()
  @OneOf(['user', 'assistant', 'tool'])
  role?: 'user' | 'assistant' | 'tool';
}

/** Which messages of somebody's session to list. */
export class ListOrganizationMessagesQuery extends PageQuery {
  /**
   * Only messages of this role.
   * @example "user"
   */
  @Optional()
  @OneOf(['user', 'assistant', 'tool'])
  role?: 'user' | 'assistant' | 'tool';
}

/** A message. */
@ApiExtraModels(...CONTENT_BLOCKS)
export class MessageResponse {
  /**
   * Message id.
   * @example "01980f73-6d55-7e6f-9071-8c9d0e1f2a3b"
   */
  id: string;

  /**
   * Who speaks.
   * @example "user"
   */
  role: 'user' | 'assistant' | 'tool' | 'system';

  /** What it is made of. */
  @ApiProperty({ type: 'array', items: { oneOf: CONTENT_BLOCKS.map((block) => ({ $ref: getSchemaPath(block) })) } })
  content: ContentBlock[];

  /**
   * When it was created, Unix milliseconds.
   * @example 1763193600000
   */
  createdAt: number;

  /**
   * When it last changed, Unix milliseconds.
   * @example 1763193600000
   */
  updatedAt: number;

  /**
   * Parent message.
   * @example "01980f73-6d55-7e6f-9071-8c9d0e1f2a3b"
   */
  parentId?: string;

  /**
   * Who gets to see it.
   * @example "both"
   */
  visibility?: 'both' | 'llm_only' | 'user_only';

  /**
   * Message id at the provider.
   * @example "msg_123"
   */
  openaiMessageId?: string;

  /**
   * Phase of the answer.
   * @example "final_answer"
   */
  @ApiPropertyOptional({ enum: ['commentary', 'final_answer', null], nullable: true })
  openaiPhase?: 'commentary' | 'final_answer' | null;

  /**
   * Data of the provider.
   * @example "gAAAAA=="
   */
  openaiEncryptedContent?: string;

  /**
   * Data of the provider.
   * @example "rs_123"
   */
  openaiReasoningId?: string;

  /**
   * Data of the provider.
   * @example "Looked at the test."
   */
  openaiReasoningSummary?: string;

  /**
   * Data of the provider.
   * @example "c2lnbg=="
   */
  geminiThoughtSignature?: string;

  /**
   * Field in which the provider sent its reasoning.
   * @example "reasoning"
   */
  chatCompletionReasoningField?: 'reasoning' | 'reasoning_content';

  /**
   * Reasoning text.
   * @example "The test waits for a fixed time."
   */
  chatCompletionReasoningContent?: string;

  /**
   * Whether users see it.
   * @example true
   */
  isUserVisible?: boolean;

  /**
   * Whether it is an error.
   * @example false
   */
  isError?: boolean;
}

/** A page of messages. */
export class MessagesResponse {
  /** The messages, newest first. A page may be shorter than asked for when its messages are large. */
  messages: MessageResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toMessagesResponse(page: Page<ShownMessage>, request: PageRequest): MessagesResponse {
  return { messages: page.items.map(toMessageBody), pagination: toPagination(page, request) };
}

export function toInterruptResponse(status: SessionStatus): InterruptResponse {
  return { status };
}
