import { Pagination } from '../../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../../http/paging/paging.js';
import { EnterpriseControlsSettings } from './controls-settings.dto.js';
import type { ControlsRevision } from './controls.repository.js';

/** Who made a change. */
export class ControlsAuthor {
  /**
   * User id.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  id: string;

  /**
   * E-mail address at the time.
   * @example "owner@example.com"
   */
  email: string;

  /**
   * Name at the time; empty when it was unknown.
   * @example "Ada Lovelace"
   */
  name: string;
}

/** The settings of the organization as of a revision. */
export class ControlsChangeResponse {
  /**
   * Revision number; each change makes the next one.
   * @example 7
   */
  revision: number;

  /** The settings as of that revision. Literal secrets are masked; references such as `${API_KEY}` are shown. */
  settings: EnterpriseControlsSettings;

  /** Who made the change. */
  user: ControlsAuthor;

  /**
   * When it was made, ISO 8601.
   * @example "2026-11-15T08:30:00.000Z"
   */
  updatedAt: string;
}

/** The settings in force. */
export class ControlsResponse {
  /**
   * Revision number; 0 while nothing was ever set. Also the `ETag`.
   * @example 7
   */
  revision: number;

  /** The settings in force. Literal secrets are masked; references such as `${API_KEY}` are shown. */
  settings: EnterpriseControlsSettings;

  /** Who set them; absent while nothing was ever set. */
  user?: ControlsAuthor;

  /**
   * When they were set, ISO 8601; absent while nothing was ever set.
   * @example "2026-11-15T08:30:00.000Z"
   */
  updatedAt?: string;
}

/** A page of the history of changes. */
export class ControlsHistoryResponse {
  /** The changes, newest first. */
  changes: ControlsChangeResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toControlsChangeResponse(revision: ControlsRevision): ControlsChangeResponse {
  return {
    revision: revision.revision,
    settings: revision.settings,
    user: { id: revision.userId, email: revision.userEmail, name: revision.userName },
    updatedAt: revision.updatedAt.toISOString(),
  };
}

export function toControlsResponse(revision: ControlsRevision | null): ControlsResponse {
  return revision ? toControlsChangeResponse(revision) : { revision: 0, settings: {} };
}

export function toControlsHistoryResponse(page: Page<ControlsRevision>, request: PageRequest): ControlsHistoryResponse {
  return { changes: page.items.map(toControlsChangeResponse), pagination: toPagination(page, request) };
}
