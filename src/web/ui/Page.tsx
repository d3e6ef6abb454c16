import { type ReactNode, useEffect } from 'react';
import styles from './Page.module.css';

interface Props {
  readonly title: string;
  /** What belongs to the title, such as a state or a way back. */
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
  /** Takes the height of the window; its last part gets what is left and scrolls inside. */
  readonly isFull?: boolean;
  readonly children: ReactNode;
}

/** A page: its heading, which is also the title of the browser's tab, and its parts below each other. */
export function Page({ title, beside, actions, isFull = false, children }: Props) {
  useEffect(() => {
    document.title = `${title} – Agent platform`;
  }, [title]);
  return (
    <div className={isFull ? styles.full : styles.page}>
      <header className={styles.header}>
        <h1>{title}</h1>
        {beside}
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
