import { isPatch, linesOfPatch } from '../diff.js';
import { CopyButton } from './CopyButton.js';
import { CutText } from './CutText.js';
import { Diff } from './Diff.js';
import styles from './parts.module.css';

/** Code with a way to copy it; a patch is shown as one. */
export function CodeBlock({ text, language = '' }: { text: string; language?: string }) {
  const isDiff = language === 'diff' || language === 'patch' || isPatch(text);
  return (
    <div className={styles.code}>
      <div className={styles.codeBar}>
        <span>{language.slice(0, 40) || (isDiff ? 'diff' : 'code')}</span>
        <CopyButton text={() => text} name="Copy" label="Copy the code" />
      </div>
      {isDiff ? <Diff lines={linesOfPatch(text)} /> : <CutText text={text} isCode />}
    </div>
  );
}
