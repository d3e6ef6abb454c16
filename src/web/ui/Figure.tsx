import type { ReactNode } from 'react';
import { change as shownChange } from '../format.js';
import styles from './Figure.module.css';

interface Props {
  readonly name: string;
  readonly value: string;
  /** What it counts, in one sentence. */
  readonly definition: string;
  /** Undefined: nothing is compared. */
  readonly change?: number | null;
  readonly before?: string;
}

/** One number with its name, its meaning and how it changed. */
export function Figure({ name, value, definition, change, before }: Props) {
  return (
    <div className={styles.figure} role="group" aria-label={name}>
      <div className={styles.name}>{name}</div>
      <div className={styles.value}>{value}</div>
      {change !== undefined && (
        <div className={styles.change}>
          <strong>{shownChange(change)}</strong> before: {before}
        </div>
      )}
      <div className={styles.definition}>{definition}</div>
    </div>
  );
}

export function Figures({ children }: { children: ReactNode }) {
  return <div className={styles.figures}>{children}</div>;
}
