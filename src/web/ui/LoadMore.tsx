import type { Paged } from '../api/paged.js';
import { Button } from './Button.js';
import styles from './LoadMore.module.css';

/** Below a list that is read page by page; nothing when all of it is there. */
export function LoadMore({ list: { rows, hasMore, more, isLoadingMore } }: { list: Paged<unknown> }) {
  if (!hasMore) return null;
  return (
    <div className={styles.more}>
      <Button onClick={more} disabled={isLoadingMore}>
        {isLoadingMore ? 'Loading …' : 'Load more'}
      </Button>
      <span>{rows.length} shown</span>
    </div>
  );
}
