import { Badge } from '../../ui/Badge.js';
import type { Outgoing } from './outbox.js';
import { CutText } from './parts/CutText.js';
import styles from './Message.module.css';

/** A message that the service has not shown in the transcript yet. */
export function OutgoingRow({ outgoing: { text, attachments, state } }: { outgoing: Outgoing }) {
  return (
    <article className={styles.user} aria-label="Your message, on its way">
      <header className={styles.header}>
        <strong>You</strong>
        {state === 'trying' ? (
          <Badge tone="warn">not reachable, trying again</Badge>
        ) : (
          <Badge>{state === 'sent' ? 'sent' : 'sending'}</Badge>
        )}
      </header>
      <div className={styles.blocks}>
        <CutText text={text} />
        {attachments.length > 0 && <p className={styles.thinking}>{attachments.map(({ name }) => name).join(', ')}</p>}
      </div>
    </article>
  );
}
