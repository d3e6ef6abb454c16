import { Optional, PageLimit, TextLength } from '../../common/validation/rules.js';

/** Which part of a list to return. */
export class PageQuery {
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

/** Whether and how a list goes on. */
export class Pagination {
  /** Whether there are more entries after this page. */
  hasMore: boolean;

  /**
   * Pass as `cursor` for the next page; present only when `hasMore` is true.
   * @example "eyJ0IjoiMjAyNi0xMS0xNVQwMDowMDowMC4wMDBaIn0.c2lnbmF0dXJl"
   */
  nextCursor?: string;
}
