import { useState } from 'react';
import { Button } from './Button.js';
import styles from './CopyBlock.module.css';

const SHOWN_MS = 2_000;

/** Text to paste elsewhere: commands, settings, a secret that is shown once. */
export function CopyBlock({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <div className={styles.block}>
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <Button onClick={() => void copy()}>
        <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
      </Button>
    </div>
  );
}
