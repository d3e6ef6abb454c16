import { memo } from 'react';
import type { ToolResult, ToolUse } from '../../../api/messages.js';
import { Badge } from '../../../ui/Badge.js';
import { diffOf } from '../diff.js';
import { spelledOut, summaryOf } from '../shown-text.js';
import { CutText } from './CutText.js';
import { Diff } from './Diff.js';
import { Fold } from './Fold.js';
import { ResultText } from './ResultText.js';
import styles from './parts.module.css';

interface Props {
  readonly use: ToolUse;
  readonly result: ToolResult | undefined;
  /** Whether an answer may still come. */
  readonly isRunning: boolean;
}

/** One call of a tool: its name and what it was about; the rest when opened. */
export const ToolStep = memo(function ToolStep({ use, result, isRunning }: Props) {
  return (
    <Fold
      id={use.id}
      summary={
        <>
          <strong className={styles.tool}>{spelledOut(use.name)}</strong>
          <span className={styles.about}>{summaryOf(use.input)}</span>
          <State result={result} isRunning={isRunning} />
        </>
      }
    >
      {() => (
        <>
          <Input input={use.input} />
          {result && (
            <>
              <div className={styles.label}>{result.isError ? 'Error' : 'Result'}</div>
              <ResultText content={result.content} />
            </>
          )}
        </>
      )}
    </Fold>
  );
});

function State({ result, isRunning }: Pick<Props, 'result' | 'isRunning'>) {
  if (result?.isError) return <Badge tone="bad">failed</Badge>;
  if (result) return <span className={styles.done}>done</span>;
  return isRunning ? <Badge tone="accent">running</Badge> : <Badge>no result</Badge>;
}

function Input({ input }: { input: ToolUse['input'] }) {
  const diff = diffOf(input);
  if (diff) return <Diff lines={diff} />;
  const { command } = input;
  if (typeof command === 'string') return <CutText text={`$ ${command}`} isCode />;
  return Object.keys(input).length === 0 ? null : <CutText text={JSON.stringify(input, null, 2)} isCode />;
}
