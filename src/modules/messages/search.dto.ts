import { PageQuery, Pagination } from '../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../http/paging/paging.js';
import { TextLength } from '../../common/validation/rules.js';
import type { SearchHit } from './search.service.js';

/** What to search for. */
export class SearchQuery extends PageQuery {
  /**
   * Words, 1 to 200 characters: all of them have to occur; "quoted words" in this order, `or` between alternatives, a minus
   * sign before what must not occur.
   * @example "flaky login"
   */
  @TextLength(1, 200)
  q: string;
}

/** A message that was found. */
export class SearchHitResponse {
  /**
   * The session it is in.
   * @example "01980f72-5c44-7d5e-8f60-7b8c9d0e1f2a"
   */
  sessionId: string;

  /**
   * The message.
   * @example "01980f73-6d55-7e6f-9071-8c9d0e1f2a3b"
   */
  messageId: string;

  /**
   * Title of the session.
   * @example "Fix the flaky login test"
   */
  title?: string;

  /**
   * Who speaks.
   * @example "user"
   */
  role: 'user' | 'assistant' | 'tool' | 'system';

  /**
   * When it was created, Unix milliseconds.
   * @example 1763193600000
   */
  createdAt: number;

  /**
   * Where the words occur, plain text with two asterisks around each.
   * @example "**flaky** **login** test"
   */
  snippet: string;
}

/** A page of messages that were found. */
export class SearchResponse {
  /** The messages, newest first. */
  results: SearchHitResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toSearchResponse(page: Page<SearchHit>, request: PageRequest): SearchResponse {
  return {
    results: page.items.map(({ title, createdAt, ...hit }) => ({
      ...hit,
      ...(title === null ? {} : { title }),
      createdAt: createdAt.getTime(),
    })),
    pagination: toPagination(page, request),
  };
}
