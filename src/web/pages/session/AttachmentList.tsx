import { compact } from '../../format.js';
import type { Picked } from './attachments.js';
import styles from './Composer.module.css';

interface Props {
  readonly attachments: readonly Picked[];
  readonly onRemove: (at: number) => void;
}

/** What goes along with the next message. */
export function AttachmentList({ attachments, onRemove }: Props) {
  if (attachments.length === 0) return null;
  return (
    <ul className={styles.attachments} aria-label="Attachments">
      {attachments.map(({ name, size }, i) => (
        <li key={`${name}-${i}`}>
          <span>
            {name} <small>{compact(size)}B</small>
          </span>
          <button type="button" aria-label={`Remove ${name}`} onClick={() => onRemove(i)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
