import { createHash } from 'node:crypto';
import type { Principal } from '../../common/access/principal.js';
import { InvalidRequestError } from '../../common/errors/domain-error.js';
import type { PageQuery, Pagination } from './paging.dto.js';

/** The sort key of the last row of a page, in the form that the database takes (instants in ISO with milliseconds). */
export type Position = readonly string[];

export interface PageRequest {
  readonly limit: number;
  readonly after: Position | null;
  /** List, caller and filters for which the cursor is valid. */
  readonly scope: string;
}

export interface Page<T> {
  readonly items: T[];
  readonly next: Position | null;
}

/** `list` and `filters` bind the cursor: it is valid for the same query of the same caller only. */
export function toPageRequest(
  query: PageQuery,
  caller: Principal,
  list: string,
  filters: Record<string, string | undefined> = {},
): PageRequest {
  const scope = JSON.stringify([list, caller.orgId, caller.userId, Object.entries(filters).sort()]);
  return {
    limit: Number(query.limit ?? '20'),
    after: query.cursor === undefined ? null : decodeCursor(query.cursor, scope),
    scope,
  };
}

/** `rows` have to be read with `limit + 1`: an extra row means that there is more. */
export function toPage<T>(rows: T[], limit: number, positionOf: (row: T) => Position): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? positionOf(last) : null };
}

export function toPagination(page: Page<unknown>, request: PageRequest): Pagination {
  return page.next === null
    ? { hasMore: false }
    : { hasMore: true, nextCursor: encodeCursor(page.next, request.scope) };
}

function encodeCursor(position: Position, scope: string): string {
  const body = Buffer.from(JSON.stringify(position)).toString('base64url');
  return `${body}.${checksumOf(body, scope)}`;
}

function decodeCursor(cursor: string, scope: string): Position {
  const [body, given, ...rest] = cursor.split('.');
  const isOurs = body !== undefined && rest.length === 0 && given === checksumOf(body, scope);
  const position = isOurs ? parsePosition(Buffer.from(body, 'base64url').toString()) : null;
  if (!position) throw InvalidRequestError.ofField('cursor', 'is not a nextCursor of this list with these parameters');
  return position;
}

function parsePosition(text: string): Position | null {
  try {
    const value: unknown = JSON.parse(text);
    const isPosition = Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string');
    return isPosition ? value : null;
  } catch {
    return null;
  }
}

/** Detects mix-ups. Not a secret: a forged position only starts at another row that the caller may read anyway. */
function checksumOf(body: string, scope: string): string {
  return createHash('sha256').update(scope).update('\n').update(body).digest('base64url').slice(0, 16);
}
