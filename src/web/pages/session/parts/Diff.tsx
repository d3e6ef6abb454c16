import { memo, useState } from 'react';
import type { DiffLine } from '../diff.js';
import { spelledOut } from '../shown-text.js';
import styles from './parts.module.css';

const FIRST = 200;
const MAX_LINE = 2_000;
const SIGNS = { added: '+', removed: '-', same: ' ', place: ' ' } as const;

/** Lines that came and went; the sign says which, the colour only helps. */
export const Diff = memo(function Diff({ lines }: { lines: readonly DiffLine[] }) {
  const [shown, setShown] = useState(FIRST);
  const left = lines.length - shown;
  return (
    <>
      <pre className={styles.diff} tabIndex={0} dir="ltr">
        {lines.slice(0, shown).map(({ kind, text }, i) => (
          <span key={i} className={styles[kind]}>
            {SIGNS[kind]} {spelledOut(text.slice(0, MAX_LINE))}
            {text.length > MAX_LINE && ' …'}
            {'\n'}
          </span>
        ))}
      </pre>
      {left > 0 && (
        <div className={styles.cut}>
          <span>{left} lines more</span>
          <button type="button" className={styles.small} onClick={() => setShown(shown + 4 * FIRST)}>
            Show more
          </button>
        </div>
      )}
    </>
  );
});
