import styles from './Sessions.module.css';

/** A name in one line; the whole of it when the pointer rests on it. */
export function Short({ children }: { children: string }) {
  return (
    <span className={styles.short} title={children}>
      {children}
    </span>
  );
}
