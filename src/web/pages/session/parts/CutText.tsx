import { memo, useMemo, useState } from 'react';
import { compact } from '../../../format.js';
import { spelledOut } from '../shown-text.js';
import { CopyButton } from './CopyButton.js';
import styles from './parts.module.css';

/** More at once would keep the browser busy: one line of a megabyte is laid out for seconds. */
const FIRST = 10_000;

/** Text as it is. Long text is shown piece by piece; all of it can be copied. */
export const CutText = memo(function CutText({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const [shown, setShown] = useState(FIRST);
  const visible = useMemo(() => spelledOut(text.slice(0, shown)), [text, shown]);
  const left = text.length - shown;
  return (
    <>
      <pre
        className={isCode ? styles.codeText : styles.plain}
        dir={isCode ? 'ltr' : 'auto'}
        tabIndex={isCode ? 0 : undefined}
      >
        {visible}
      </pre>
      {left > 0 && (
        <div className={styles.cut}>
          <span>{compact(left)} characters more</span>
          <button type="button" className={styles.small} onClick={() => setShown(shown + FIRST)}>
            Show more
          </button>
          <CopyButton text={() => text} name="Copy all" label="Copy all of it" />
        </div>
      )}
    </>
  );
});
