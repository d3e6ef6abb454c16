import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';

/** A list that is read page by page, in the order of the service. */
export interface Paged<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly isLoadingMore: boolean;
}

interface Answer {
  readonly pagination: { readonly hasMore: boolean; readonly nextCursor?: string };
}

interface Options<A extends Answer, Row> {
  readonly key: readonly unknown[];
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<A>;
  readonly rowsOf: (answer: A) => readonly Row[];
  /** Reads again that often while the page is visible. */
  readonly everyMs?: number;
}

/** For `Asked`: what is there so far, with the way to load more. */
export function usePaged<A extends Answer, Row>({ key, read, rowsOf, everyMs }: Options<A, Row>) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
    refetchInterval: everyMs ?? false,
    select: ({ pages }) => pages.flatMap(rowsOf),
  }) as UseInfiniteQueryResult<readonly Row[]>;
  const paged: Paged<Row> | undefined = query.data && {
    rows: query.data,
    hasMore: query.hasNextPage,
    more: () => void query.fetchNextPage(),
    isLoadingMore: query.isFetchingNextPage,
  };
  return { ...query, data: paged };
}

/** Loads the rest, a page at a time: what is searched for in the browser may be on any page. */
export function useAllRows(list: Paged<unknown> | undefined, when: boolean): void {
  useEffect(() => {
    if (when && list?.hasMore && !list.isLoadingMore) list.more();
  }, [when, list]);
}
