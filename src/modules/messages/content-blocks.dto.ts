import { ApiPropertyOptional } from '@nestjs/swagger';

/** The data of an image or a document. */
export class AttachmentSource {
  /**
   * How `data` is written.
   * @example "base64"
   */
  type: 'base64' | 'text';

  /**
   * Media type.
   * @example "image/png"
   */
  mediaType: string;

  /**
   * The data.
   * @example "iVBORw0KGgo="
   */
  data: string;

  /**
   * Text that was extracted from a file.
   * @example "Chapter 1"
   */
  parsedData?: string;

  /**
   * File name.
   * @example "report.pdf"
   */
  name?: string;

  /**
   * File path; never used as a path on the server.
   * @example "docs/report.pdf"
   */
  path?: string;

  /**
   * Media type as the sender named it.
   * @example "text/plain"
   */
  mime?: string;
}

/** Text. */
export class TextBlock {
  /**
   * Kind of block.
   * @example "text"
   */
  type: 'text';

  /**
   * The text.
   * @example "Fix the flaky login test"
   */
  text: string;

  /**
   * Id of the block.
   * @example "01980f73-6d55-7e6f-9071-8c9d0e1f2a3b"
   */
  id?: string;
}

/** An image. */
export class ImageBlock {
  /**
   * Kind of block.
   * @example "image"
   */
  type: 'image';

  /** The image. */
  source: AttachmentSource;

  /**
   * Id of the block.
   * @example "01980f73-6d55-7e6f-9071-8c9d0e1f2a3b"
   */
  id?: string;

  /**
   * Whether a model made it.
   * @example false
   */
  generated?: boolean;
}

/** Thinking of a model. */
export class ThinkingBlock {
  /**
   * Kind of block.
   * @example "thinking"
   */
  type: 'thinking';

  /**
   * The thinking.
   * @example "The test waits for a fixed time."
   */
  thinking: string;

  /**
   * Signature of the provider; may be empty.
   * @example ""
   */
  signature: string;

  /**
   * Id of the block.
   * @example "01980f73-6d55-7e6f-9071-8c9d0e1f2a3b"
   */
  id?: string;

  /**
   * Who signed it.
   * @example "anthropic"
   */
  signatureProvider?: string;

  /**
   * How long it took, in milliseconds.
   * @example 1200
   */
  durationMs?: number;
}

/** Thinking that the provider keeps to itself. */
export class RedactedThinkingBlock {
  /**
   * Kind of block.
   * @example "redacted_thinking"
   */
  type: 'redacted_thinking';

  /**
   * Opaque data.
   * @example "EuYBCkQ="
   */
  data: string;

  /**
   * Id of the block.
   * @example "01980f73-6d55-7e6f-9071-8c9d0e1f2a3b"
   */
  id?: string;
}

/** A call of a tool. */
export class ToolUseBlock {
  /**
   * Kind of block.
   * @example "tool_use"
   */
  type: 'tool_use';

  /**
   * Id of the call.
   * @example "toolu_01"
   */
  id: string;

  /**
   * Name of the tool.
   * @example "Read"
   */
  name: string;

  /**
   * Its input.
   * @example { "path": "login.test.ts" }
   */
  input: Record<string, unknown>;

  /**
   * Signature of the provider.
   * @example "c2lnbg=="
   */
  thoughtSignature?: string;
}

/** The result of a tool. */
export class ToolResultBlock {
  /**
   * Kind of block.
   * @example "tool_result"
   */
  type: 'tool_result';

  /**
   * Id of the call.
   * @example "toolu_01"
   */
  toolUseId: string;

  /**
   * Text, or a list of text, image and document blocks.
   * @example "ok"
   */
  @ApiPropertyOptional({ oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }] })
  content?: unknown;

  /**
   * Whether the tool failed.
   * @example false
   */
  isError?: boolean;

  /**
   * Id of the block.
   * @example "01980f73-6d55-7e6f-9071-8c9d0e1f2a3b"
   */
  id?: string;
}

/** A document. */
export class DocumentBlock {
  /**
   * Kind of block.
   * @example "document"
   */
  type: 'document';

  /** The document. */
  source: AttachmentSource;

  /**
   * Id of the block.
   * @example "01980f73-6d55-7e6f-9071-8c9d0e1f2a3b"
   */
  id?: string;
}

export const CONTENT_BLOCKS = [
  TextBlock,
  ImageBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  ToolResultBlock,
  DocumentBlock,
];
