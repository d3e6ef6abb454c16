import { Optional, Uuid } from '../../../common/validation/rules.js';
import { PageQuery, Pagination } from '../../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../../http/paging/paging.js';
import type { Source } from './sources.repository.js';

export class SourcesQuery extends PageQuery {
  /**
   * Only sources of this user.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  @Optional()
  @Uuid()
  userId?: string;
}

/** One version of one agent, as one user runs it. */
export class SourceResponse {
  /**
   * The user for whom its records count.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  userId: string;

  /**
   * E-mail address of the user; empty when it is unknown.
   * @example "ada@example.com"
   */
  userEmail: string;

  /**
   * The agent; `gen-ai` for whatever else follows these conventions.
   * @example "claude-code"
   */
  agent: string;

  /**
   * As the agent sends it; empty when it sends none, `(other)` for all beyond twenty of a user and agent.
   * @example "2.1.197"
   */
  version: string;

  /**
   * When its first record arrived, ISO 8601.
   * @example "2026-11-02T08:12:40.120Z"
   */
  firstSeenAt: string;

  /**
   * When its last record arrived, ISO 8601.
   * @example "2026-11-15T08:30:00.000Z"
   */
  lastSeenAt: string;

  /**
   * Usage events that were stored; what was sent again counts once.
   * @example 5120
   */
  counted: number;

  /**
   * Records that no adapter knows.
   * @example 12
   */
  ignored: number;

  /**
   * Usage that was refused.
   * @example 1
   */
  refused: number;

  /**
   * Why the last one was refused; absent when none was.
   * @example "at lies in the future"
   */
  lastReason?: string;

  /**
   * When the last one was refused, ISO 8601; absent when none was.
   * @example "2026-11-14T17:02:11.000Z"
   */
  lastRefusedAt?: string;
}

/** A page of the sources of telemetry. */
export class SourcesResponse {
  /** By user, agent and version. */
  sources: SourceResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toSourcesResponse(page: Page<Source>, request: PageRequest): SourcesResponse {
  return { sources: page.items.map(toSource), pagination: toPagination(page, request) };
}

function toSource(source: Source): SourceResponse {
  const { userId, agent, version, counted, ignored, refused, refusal, lastRefusedAt } = source;
  return {
    userId,
    userEmail: source.userEmail ?? '',
    agent,
    version,
    firstSeenAt: source.firstSeenAt.toISOString(),
    lastSeenAt: source.lastSeenAt.toISOString(),
    counted,
    ignored,
    refused,
    ...(refusal === null ? {} : { lastReason: refusal }),
    ...(lastRefusedAt === null ? {} : { lastRefusedAt: lastRefusedAt.toISOString() }),
  };
}
