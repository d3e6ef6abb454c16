import { Pagination } from '../../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../../http/paging/paging.js';
import { toPeriod } from '../../../common/time/period.js';
import { Instant, Optional, PageLimit, TextLength } from '../../../common/validation/rules.js';
import type { AuditFilter, StoredAuditEntry } from './audit-log.repository.js';

/** Which changes. */
export class AuditFilterQuery {
  /**
   * Only changes of this actor: a user id, the e-mail address at the time, or `operator` for the command line.
   * @example "owner@example.com"
   */
  @Optional()
  @TextLength(1, 320)
  actor?: string;

  /**
   * Only this action, such as `user.changed`, or all of a kind, such as `user`.
   * @example "user"
   */
  @Optional()
  @TextLength(1, 100)
  action?: string;

  /**
   * Only changes to this: the id of a user, an API key, a computer or a revision.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  @Optional()
  @TextLength(1, 200)
  target?: string;

  /**
   * Only changes at this time or later, ISO 8601 with a time zone.
   * @example "2026-11-01T00:00:00Z"
   */
  @Optional()
  @Instant()
  from?: string;

  /**
   * Only changes before this time, ISO 8601 with a time zone.
   * @example "2026-11-15T00:00:00Z"
   */
  @Optional()
  @Instant()
  to?: string;
}

/** Which part of which changes to return. */
export class ListAuditLogQuery extends AuditFilterQuery {
  /**
   * How many entries to return, 1 to 100.
   * @example "20"
   */
  @Optional()
  @PageLimit(100)
  limit?: string = '20';

  /**
   * `nextCursor` of the previous page; belongs to the same query by the same caller.
   * @example "eyJ0IjoiMjAyNi0xMS0xNVQwMDowMDowMC4wMDBaIn0.c2lnbmF0dXJl"
   */
  @Optional()
  @TextLength(1, 1000)
  cursor?: string;
}

/** Who made a change. */
export class AuditActor {
  /**
   * User id.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  id: string;

  /**
   * E-mail address at the time; empty when it was unknown.
   * @example "owner@example.com"
   */
  email: string;
}

/** One administrative change. */
export class AuditEntryResponse {
  /**
   * Id of the entry.
   * @example "01980f70-7c11-7a3b-9d0e-0a4f3b1c2d4e"
   */
  id: string;

  /**
   * When it was made, ISO 8601.
   * @example "2026-11-15T08:30:00.000Z"
   */
  at: string;

  /** Who made it; absent when an operator did, from the command line. */
  actor?: AuditActor;

  /**
   * What was done.
   * @example "user.changed"
   */
  action: string;

  /**
   * To what: the id of a user, an API key, a computer or a revision.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  target: string;

  /**
   * The state before; absent when there was none. Secrets are masked.
   * @example { "role": "member" }
   */
  before?: Record<string, unknown>;

  /**
   * The state after; absent when there is none. Secrets are masked.
   * @example { "role": "manager" }
   */
  after?: Record<string, unknown>;

  /**
   * The request that made it, as in the logs; absent for the command line.
   * @example "01980f70-7c10-7a3b-9d0e-0a4f3b1c2d4e"
   */
  requestId?: string;
}

/** A page of the audit log. */
export class AuditLogResponse {
  /** The changes, newest first. */
  entries: AuditEntryResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toAuditFilter({ actor, action, target, from, to }: AuditFilterQuery): AuditFilter {
  return { actor, action, target, ...toPeriod({ from, to }) };
}

export function toAuditLogResponse(page: Page<StoredAuditEntry>, request: PageRequest): AuditLogResponse {
  return { entries: page.items.map(toAuditEntry), pagination: toPagination(page, request) };
}

function toAuditEntry(entry: StoredAuditEntry): AuditEntryResponse {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    ...(entry.actorId ? { actor: { id: entry.actorId, email: entry.actorEmail ?? '' } } : {}),
    action: entry.action,
    target: entry.target,
    ...(entry.before ? { before: entry.before as Record<string, unknown> } : {}),
    ...(entry.after ? { after: entry.after as Record<string, unknown> } : {}),
    ...(entry.requestId ? { requestId: entry.requestId } : {}),
  };
}
