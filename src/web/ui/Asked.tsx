import { type ReactNode, useEffect, useState } from 'react';
import { isPassing, Problem } from '../api/problem.js';
import { Button } from './Button.js';
import styles from './Asked.module.css';

/** A skeleton that comes and goes at once only flickers. */
const SKELETON_AFTER_MS = 150;

/** What is asked: a query of TanStack, or a list that is read page by page. */
export interface Question<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  /** Why the last attempt failed, while it is tried again. */
  readonly failureReason: Error | null;
  readonly isPending: boolean;
  readonly isPlaceholderData: boolean;
  readonly refetch: () => unknown;
}

interface Props<T> {
  readonly query: Question<T>;
  /** What is shown instead when there is nothing; null: not empty. */
  readonly empty?: (data: T) => ReactNode;
  readonly children: (data: T) => ReactNode;
}

/** The states of everything that is asked of the service: loading, failed, forbidden, empty, and there. */
export function Asked<T>({ query, empty, children }: Props<T>) {
  const { data, error, isPending, isPlaceholderData } = query;
  if (data !== undefined) {
    const instead = empty?.(data) ?? null;
    if (instead !== null) return <div className={styles.state}>{instead}</div>;
    return (
      <div aria-busy={isPlaceholderData} className={isPlaceholderData ? styles.stale : styles.there}>
        {children(data)}
      </div>
    );
  }
  const failed = error ?? query.failureReason;
  if (failed) return <Failure error={failed} onRetry={() => query.refetch()} />;
  return isPending ? <Skeleton /> : null;
}

export function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (error instanceof Problem && error.status === 403) {
    return (
      <div className={styles.state} role="status">
        <strong>Not for your role</strong>
        <p>{error.detail} An owner of your organization can change your role.</p>
      </div>
    );
  }
  return (
    <div className={styles.state} role="alert">
      <strong>{isPassing(error) ? 'The service is not reachable at the moment' : 'That did not work'}</strong>
      <p>{error instanceof Problem ? error.detail : 'It may be restarting. This page tries again by itself.'}</p>
      {error instanceof Problem && error.requestId && <p className={styles.request}>Request {error.requestId}</p>}
      <Button onClick={onRetry}>Try again</Button>
    </div>
  );
}

function Skeleton() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={isLate ? styles.skeleton : styles.waiting} role="status">
      <span className="visually-hidden">Loading</span>
    </div>
  );
}
