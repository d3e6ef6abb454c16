import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageQuery, Pagination } from '../../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../../http/paging/paging.js';
import { Instant, OneOf, Optional, TextLength, Uuid } from '../../../common/validation/rules.js';
import { SESSION_STATUSES, type SessionStatus } from '../session.entity.js';
import { TokenUsage, toTokenUsage } from '../sessions.dto.js';
import type { SessionMetadata } from './organization-sessions.repository.js';

/** Which sessions of the organization to list. */
export class ListOrganizationSessionsQuery extends PageQuery {
  /**
   * Only sessions of this user.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  @Optional()
  @Uuid()
  userId?: string;

  /**
   * Only sessions on this computer; an unknown one has none.
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

/** What is known of a session without looking into it. */
export class OrganizationSessionResponse {
  /**
   * Session id.
   * @example "01980f72-5c44-7d5e-8f60-7b8c9d0e1f2a"
   */
  @ApiProperty({ format: 'uuid' })
  sessionId: string;

  /**
   * The user to whom it belongs.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  @ApiProperty({ format: 'uuid' })
  userId: string;

  /**
   * E-mail address of the user; absent when it was erased.
   * @example "ada@example.com"
   */
  userEmail?: string;

  /**
   * The computer on which it runs.
   * @example "01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f"
   */
  @ApiProperty({ format: 'uuid' })
  computerId: string;

  /**
   * Name of the computer; absent when it was deleted.
   * @example "build-server"
   */
  computerName?: string;

  /**
   * `idle`; `pending` while a message waits for the computer's agent; `running` while it works.
   * @example "idle"
   */
  status: 'idle' | 'pending' | 'running';

  /**
   * The model of its settings; absent when they name none.
   * @example "claude-sonnet-4-5"
   */
  model?: string;

  /**
   * Messages in the session.
   * @example 12
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  messageCount: number;

  /** Tokens of all model calls of the session. */
  tokenUsage: TokenUsage;

  /**
   * When it was created, ISO 8601.
   * @example "2026-11-15T08:30:00.000Z"
   */
  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  /**
   * When it last changed, ISO 8601.
   * @example "2026-11-15T08:45:00.000Z"
   */
  @ApiProperty({ format: 'date-time' })
  updatedAt: string;

  /**
   * End of the last turn, ISO 8601; absent while one runs and before the first.
   * @example "2026-11-15T08:45:00.000Z"
   */
  @ApiPropertyOptional({ format: 'date-time' })
  completedAt?: string;
}

/** A page of the sessions of the organization. */
export class OrganizationSessionsResponse {
  /** The sessions, newest first. */
  sessions: OrganizationSessionResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toOrganizationSessionsResponse(
  page: Page<SessionMetadata>,
  request: PageRequest,
): OrganizationSessionsResponse {
  return { sessions: page.items.map(toOrganizationSession), pagination: toPagination(page, request) };
}

function toOrganizationSession(session: SessionMetadata): OrganizationSessionResponse {
  const { id, userId, userEmail, computerId, computerName, status, model, messageCount, completedAt } = session;
  return {
    sessionId: id,
    userId,
    ...(userEmail === null ? {} : { userEmail }),
    computerId,
    ...(computerName === null ? {} : { computerName }),
    status,
    ...(model === null ? {} : { model }),
    messageCount,
    tokenUsage: toTokenUsage(session),
    createdAt: session.createdAt.toISOString(),
    updatedAt: session.updatedAt.toISOString(),
    ...(completedAt === null ? {} : { completedAt: completedAt.toISOString() }),
  };
}
