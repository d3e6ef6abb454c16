import type { AttachmentSource } from '../../../api/messages.js';
import { spelledOut } from '../shown-text.js';
import { CutText } from './CutText.js';
import { Fold } from './Fold.js';
import { saveBase64 } from './save-base64.js';
import styles from './parts.module.css';

const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** A picture or file that is in the message itself; nothing is loaded for it. */
export function Attachment({ source }: { source: unknown }) {
  if (!isSource(source)) return null;
  const { type, mediaType, data, name = '', parsedData } = source;
  const title = spelledOut(name || mediaType).slice(0, 200);
  if (type === 'base64' && PICTURES.includes(mediaType)) {
    return <img className={styles.picture} src={`data:${mediaType};base64,${data}`} alt={name || 'Attached picture'} />;
  }
  const text = type === 'text' ? data : parsedData;
  if (text !== undefined) {
    return (
      <Fold id={`${name}${data.length}`} summary={<strong className={styles.tool}>{title}</strong>}>
        {() => <CutText text={text} isCode />}
      </Fold>
    );
  }
  return (
    <div className={styles.file}>
      <span>{title}</span>
      <button type="button" className={styles.small} onClick={() => saveBase64(data, mediaType, name || 'attachment')}>
        Save
      </button>
    </div>
  );
}

function isSource(source: unknown): source is AttachmentSource {
  const { type, mediaType, data } = (source ?? {}) as Record<string, unknown>;
  return (type === 'base64' || type === 'text') && typeof mediaType === 'string' && typeof data === 'string';
}
