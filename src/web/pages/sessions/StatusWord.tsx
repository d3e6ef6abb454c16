import type { SessionStatus } from '../../api/sessions.js';
import styles from './Sessions.module.css';

const WORDS: Readonly<Record<SessionStatus, string>> = { idle: 'Idle', pending: 'Waiting', running: 'Running' };

/** The word says it, the dot only helps. */
export function StatusWord({ status }: { status: SessionStatus }) {
  return (
    <span className={`${styles.status} ${styles[status]}`}>
      <span className={styles.dot} aria-hidden="true" />
      {WORDS[status]}
    </span>
  );
}
