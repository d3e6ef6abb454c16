import type { ReactNode } from 'react';
import styles from './Waiting.module.css';

interface Props {
  readonly state: 'waiting' | 'good' | 'bad';
  readonly title: string;
  readonly children?: ReactNode;
}

const MARKS = { waiting: '…', good: '✓', bad: '!' };

/** Something that the page waits for: it turns green, or says what is wrong. */
export function Waiting({ state, title, children }: Props) {
  return (
    <div className={`${styles.waiting} ${styles[state]}`} role="status" data-state={state}>
      <span className={styles.mark} aria-hidden="true">
        {MARKS[state]}
      </span>
      <div className={styles.text}>
        <strong>{title}</strong>
        {children}
      </div>
    </div>
  );
}
