import { Pagination } from '../../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../../http/paging/paging.js';
import type { StoredAuditEntry } from './audit-log.repository.js';

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
