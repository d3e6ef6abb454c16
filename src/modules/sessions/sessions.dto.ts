import { ApiProperty } from '@nestjs/swagger';
import { API_PROVIDERS, PROVIDERS } from '../../common/agent-settings/agent-settings.js';
import { AgentSettings } from '../../common/agent-settings/agent-settings.dto.js';
import { type ExactInteger, toExactInteger } from '../../common/exact-json.js';
import { PageQuery, Pagination } from '../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../http/paging/paging.js';
import {
  Instant,
  MapOf,
  Nested,
  NestedList,
  Nullable,
  OneOf,
  Optional,
  TextLength,
  TextList,
  WholeNumber,
} from '../../common/validation/rules.js';
import { SESSION_STATUSES, type SessionEntity, type SessionStatus } from './session.entity.js';

/** A mark on a session. */
export class SessionTag {
  /**
   * Name of the tag, 1 to 200 characters.
   * @example "release"
   */
  @TextLength(1, 200)
  name: string;

  /**
   * Further data, strings by name.
   * @example { "version": "1.4" }
   */
  @Optional()
  @MapOf((value) => typeof value === 'string', 'must be an object with strings as values', {
    type: 'object',
    additionalProperties: { type: 'string' },
  })
  metadata?: Record<string, string>;
}

/** How a session works. In a change, a field that is left out stays and null clears it. */
export class SessionSettingsRequest extends AgentSettings {
  /**
   * Request protocol to which the session is bound.
   * @example "anthropic"
   */
  @Nullable()
  @OneOf(PROVIDERS)
  providerLock?: string;

  /**
   * When the lock was set, ISO 8601 with a time zone.
   * @example "2026-11-15T08:30:00Z"
   */
  @Nullable()
  @Instant()
  providerLockTimestamp?: string;

  /**
   * Backend to which the session is bound.
   * @example "bedrock"
   */
  @Nullable()
  @OneOf(API_PROVIDERS)
  apiProviderLock?: string;

  /**
   * How long the assistant was active, in milliseconds.
   * @example 93500
   */
  @Nullable()
  @WholeNumber(0, Number.MAX_SAFE_INTEGER)
  assistantActiveTimeMs?: number;

  /**
   * When the session was archived, ISO 8601 with a time zone.
   * @example "2026-11-15T08:30:00Z"
   */
  @Nullable()
  @Instant()
  archivedAt?: string;

  /** Marks on the session, at most 100. */
  @Nullable()
  @NestedList(() => SessionTag, 0, 100)
  tags?: SessionTag[];

  /**
   * Tools that are enabled.
   * @example ["Read", "Edit"]
   */
  @Nullable()
  @TextList(500, 200)
  enabledToolIds?: string[];

  /**
   * Tools that are disabled.
   * @example ["Execute"]
   */
  @Nullable()
  @TextList(500, 200)
  disabledToolIds?: string[];
}

/** A session to create. */
export class CreateSessionRequest {
  /**
   * The computer on which it runs.
   * @example "01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f"
   */
  @TextLength(1, 200)
  computerId: string;

  /** Settings on top of the organization's defaults. */
  @Optional()
  @Nested(() => SessionSettingsRequest)
  sessionSettings?: SessionSettingsRequest;
}

/** What to change about a session. */
export class UpdateSessionRequest {
  /** The settings to change, field by field; null clears a field. */
  @Nested(() => SessionSettingsRequest)
  sessionSettings: SessionSettingsRequest;
}

/** A new title for a session. */
export class RenameSessionRequest {
  /**
   * The title, 1 to 200 characters. Spaces around it are dropped.
   * @example "Flaky login test"
   */
  @TextLength(1, 200)
  title: string;
}

/** Which sessions to list. */
export class ListSessionsQuery extends PageQuery {
  /**
   * Only sessions on this computer.
   * @example "01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f"
   */
  @Optional()
  @TextLength(1, 200)
  computerId?: string;

  /**
   * Only sessions in this status.
   * @example "running"
   */
  @Optional()
  @OneOf(SESSION_STATUSES)
  status?: SessionStatus;

  /**
   * Only sessions whose title contains this, whatever the letter case; `GET /api/v0/sessions/search` looks into messages.
   * @example "login"
   */
  @Optional()
  @TextLength(1, 200)
  text?: string;

  /**
   * Only sessions created at this time or later, ISO 8601 with a time zone.
   * @example "2026-11-01T00:00:00Z"
   */
  @Optional()
  @Instant()
  from?: string;

  /**
   * Only sessions created before this time, ISO 8601 with a time zone.
   * @example "2026-11-15T00:00:00Z"
   */
  @Optional()
  @Instant()
  to?: string;
}

/** Which computer the session has to be on. */
export class OnComputerQuery {
  /**
   * 404 unless the session is on this computer.
   * @example "01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f"
   */
  @Optional()
  @TextLength(1, 200)
  computerId?: string;
}

/** Tokens of all model calls of the session. */
export class TokenUsage {
  /**
   * Input tokens.
   * @example 120000
   */
  @ApiProperty({ type: 'number' })
  inputTokens: ExactInteger;

  /**
   * Output tokens.
   * @example 8400
   */
  @ApiProperty({ type: 'number' })
  outputTokens: ExactInteger;

  /**
   * Tokens written to the prompt cache.
   * @example 20000
   */
  @ApiProperty({ type: 'number' })
  cacheCreationTokens: ExactInteger;

  /**
   * Tokens read from the prompt cache.
   * @example 90000
   */
  @ApiProperty({ type: 'number' })
  cacheReadTokens: ExactInteger;

  /**
   * Tokens of thinking.
   * @example 3000
   */
  @ApiProperty({ type: 'number' })
  thinkingTokens: ExactInteger;
}

/** How a session works, and what it has used. */
export class SessionSettingsResponse extends SessionSettingsRequest {
  /** Tokens of all model calls of the session. */
  tokenUsage: TokenUsage;
}

/** A session. */
export class SessionResponse {
  /**
   * Session id.
   * @example "01980f72-5c44-7d5e-8f60-7b8c9d0e1f2a"
   */
  sessionId: string;

  /**
   * `idle`; `pending` while a message waits for the computer's agent; `running` while it works.
   * @example "idle"
   */
  status: 'idle' | 'pending' | 'running';

  /**
   * Messages in the session.
   * @example 12
   */
  messageCount: number;

  /**
   * When it was created, Unix milliseconds.
   * @example 1763193600000
   */
  createdAt: number;

  /**
   * When it last changed, Unix milliseconds.
   * @example 1763197200000
   */
  updatedAt: number;

  /**
   * Title; the beginning of the first message unless one was set.
   * @example "Fix the flaky login test"
   */
  title?: string;

  /**
   * End of the last turn, Unix milliseconds; absent while one runs and before the first.
   * @example 1763197200000
   */
  completedAt?: number;

  /**
   * The computer on which it runs.
   * @example "01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f"
   */
  computerId?: string;

  /** How it works, and what it has used. */
  sessionSettings?: SessionSettingsResponse;
}

/** A page of sessions. */
export class SessionsResponse {
  /** The sessions, newest first. */
  sessions: SessionResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

type CountedTokens = Pick<
  SessionEntity,
  'inputTokens' | 'outputTokens' | 'cacheCreationTokens' | 'cacheReadTokens' | 'thinkingTokens'
>;

export function toTokenUsage(session: CountedTokens): TokenUsage {
  return {
    inputTokens: toExactInteger(session.inputTokens),
    outputTokens: toExactInteger(session.outputTokens),
    cacheCreationTokens: toExactInteger(session.cacheCreationTokens),
    cacheReadTokens: toExactInteger(session.cacheReadTokens),
    thinkingTokens: toExactInteger(session.thinkingTokens),
  };
}

export function toSessionResponse(session: SessionEntity): SessionResponse {
  return {
    sessionId: session.id,
    status: session.status,
    messageCount: session.messageCount,
    createdAt: session.createdAt.getTime(),
    updatedAt: session.updatedAt.getTime(),
    ...(session.title === null ? {} : { title: session.title }),
    ...(session.completedAt === null ? {} : { completedAt: session.completedAt.getTime() }),
    computerId: session.computerId,
    sessionSettings: { ...session.settings, tokenUsage: toTokenUsage(session) },
  };
}

export function toSessionsResponse(page: Page<SessionEntity>, request: PageRequest): SessionsResponse {
  return { sessions: page.items.map(toSessionResponse), pagination: toPagination(page, request) };
}
