import type { Block } from '../../api/messages.js';
import { CopyButton } from './parts/CopyButton.js';
import styles from './Message.module.css';

/** Shown with the pointer or the focus on the message. */
export function MessageTools({ messageId, content }: { messageId: string; content: readonly Block[] }) {
  const text = () => content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
  const address = () => `${window.location.href.split('#', 1)[0]}#m-${messageId}`;
  return (
    <div className={styles.tools}>
      {content.some(({ type }) => type === 'text') && <CopyButton text={text} name="Copy" label="Copy the message" />}
      <CopyButton text={address} name="Link" label="Copy a link to this message" />
    </div>
  );
}
