import { Button } from './Button.js';

interface Props {
  readonly query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

/** The rest of a list, a page at a time. */
export function LoadMore({ query }: Props) {
  if (!query.hasNextPage) return null;
  return (
    <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
      {query.isFetchingNextPage ? 'Loading …' : 'Load more'}
    </Button>
  );
}
