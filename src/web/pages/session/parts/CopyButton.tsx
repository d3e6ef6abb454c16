import { useCopy } from './use-copy.js';
import styles from './parts.module.css';

interface Props {
  readonly text: () => string;
  readonly name: string;
  /** For those who do not see what it stands beside. */
  readonly label: string;
}

export function CopyButton({ text, name, label }: Props) {
  const [isCopied, copy] = useCopy();
  return (
    <button type="button" className={styles.small} aria-label={label} onClick={() => copy(text())}>
      <span aria-live="polite">{isCopied ? 'Copied' : name}</span>
    </button>
  );
}
