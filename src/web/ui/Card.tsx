import type { ReactNode } from 'react';
import styles from './Card.module.css';

/** A titled part of a page; `actions` stand at the right of its title. */
export function Card({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.card} aria-label={title}>
      <header className={styles.header}>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}
