import { ALL_ROLES, Role } from '../../../common/access/role.enum.js';
import { Pagination } from '../../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../../http/paging/paging.js';
import { EmailAddress, OneOf, Optional, TextLength } from '../../../common/validation/rules.js';
import type { UserEntity } from './user.entity.js';

const STATES = ['active'] as const;

/** A person to add to the organization. */
export class CreateUserRequest {
  /**
   * E-mail address; unique in the organization whatever the letter case.
   * @example "ada@example.com"
   */
  @EmailAddress()
  email: string;

  /**
   * What the user may do.
   * @example "member"
   */
  @OneOf(ALL_ROLES)
  role: Role;

  /**
   * First name, at most 200 characters.
   * @example "Ada"
   */
  @Optional()
  @TextLength(0, 200)
  firstName?: string;

  /**
   * Last name, at most 200 characters.
   * @example "Lovelace"
   */
  @Optional()
  @TextLength(0, 200)
  lastName?: string;
}

/** What to change about a user; a field that is left out stays as it is. */
export class UpdateUserRequest {
  /**
   * The new role. The last owner of an organization cannot be demoted.
   * @example "manager"
   */
  @Optional()
  @OneOf(ALL_ROLES)
  role?: Role;

  /**
   * `active` lets a deactivated user back in. Their old API keys stay dead.
   * @example "active"
   */
  @Optional()
  @OneOf(STATES)
  state?: 'active';
}

/** A user of the organization. */
export class UserResponse {
  /**
   * User id.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  id: string;

  /**
   * E-mail address.
   * @example "ada@example.com"
   */
  email: string;

  /**
   * When the user was added, ISO 8601.
   * @example "2026-11-02T09:30:00.000Z"
   */
  createdAt: string;

  /**
   * Free-form data about the user; empty unless something was stored.
   * @example {}
   */
  metadata: Record<string, unknown>;

  /**
   * First name; empty when unknown.
   * @example "Ada"
   */
  firstName: string;

  /**
   * Last name; empty when unknown.
   * @example "Lovelace"
   */
  lastName: string;

  /**
   * The hour of the last authenticated use, ISO 8601; empty when there was none.
   * @example "2026-11-14T16:00:00.000Z"
   */
  lastSignInAt: string;
}

/** A user of the organization with role and state. */
export class UserDetailResponse extends UserResponse {
  /**
   * What the user may do.
   * @example "member"
   */
  role: Role;

  /**
   * Whether the user has access.
   * @example "active"
   */
  state: 'active' | 'deactivated';
}

/** A page of users. */
export class UsersResponse {
  /** The users, oldest first. */
  users: UserResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toUserResponse(user: UserEntity): UserResponse {
  return {
    id: user.id,
    email: user.email ?? '',
    createdAt: user.createdAt.toISOString(),
    metadata: user.metadata as Record<string, unknown>,
    firstName: user.firstName,
    lastName: user.lastName,
    lastSignInAt: user.lastSignInAt?.toISOString() ?? '',
  };
}

export function toUserDetailResponse(user: UserEntity): UserDetailResponse {
  return { ...toUserResponse(user), role: user.role, state: user.deactivatedAt ? 'deactivated' : 'active' };
}

export function toUsersResponse(page: Page<UserEntity>, request: PageRequest): UsersResponse {
  return { users: page.items.map(toUserResponse), pagination: toPagination(page, request) };
}
