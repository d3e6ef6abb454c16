import type { ToolResult } from '../../../api/messages.js';
import { isPatch, linesOfPatch } from '../diff.js';
import { Attachment } from './Attachment.js';
import { CutText } from './CutText.js';
import { Diff } from './Diff.js';
import styles from './parts.module.css';

const MAX_DIFF = 200_000;

/** What a tool answered: text, or blocks of which only known ones are shown. */
export function ResultText({ content }: { content: ToolResult['content'] }) {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  if (blocks.length === 0) return <p className={styles.none}>Nothing was returned.</p>;
  return (
    <>
      {(blocks as readonly Record<string, unknown>[]).map((block, i) => {
        if (typeof block.text === 'string') return <Text key={i} text={block.text} />;
        return <Attachment key={i} source={block.source} />;
      })}
    </>
  );
}

function Text({ text }: { text: string }) {
  if (text === '') return <p className={styles.none}>Nothing was returned.</p>;
  const isDiff = text.length <= MAX_DIFF && isPatch(text);
  return isDiff ? <Diff lines={linesOfPatch(text)} /> : <CutText text={text} isCode />;
}
