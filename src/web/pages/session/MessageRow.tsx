import { lazy, Suspense } from 'react';
import type { Block, ToolResult } from '../../api/messages.js';
import { instant } from '../../format.js';
import { Badge } from '../../ui/Badge.js';
import { MessageTools } from './MessageTools.js';
import { Attachment } from './parts/Attachment.js';
import { CutText } from './parts/CutText.js';
import { Fold } from './parts/Fold.js';
import { ResultText } from './parts/ResultText.js';
import { ToolStep } from './parts/ToolStep.js';
import type { Row } from './rows.js';
import { isMessage } from './transcript.js';
import styles from './Message.module.css';

const Markdown = lazy(async () => ({ default: (await import('./markdown/Markdown.js')).Markdown }));

const NAMES = { user: 'You', assistant: 'Agent', tool: 'Agent', system: 'Note' } as const;

interface Props {
  readonly row: Row;
  readonly results: ReadonlyMap<string, ToolResult>;
  readonly isRunning: boolean;
  readonly isQueued: boolean;
  readonly isMarked: boolean;
  /** Who wrote the messages of the user. */
  readonly userName: string;
}

/** One message, or the place of a large one that is still being read. */
export function MessageRow({ row: { entry, isFirst }, results, isRunning, isQueued, isMarked, userName }: Props) {
  if (!isMessage(entry)) return <p className={styles.waiting}>A large message is being read …</p>;
  const { id, role, content, createdAt, isError } = entry;
  const name = role === 'user' ? userName : NAMES[role];
  const kind = [styles[role], isError ? styles.error : '', isMarked ? styles.marked : ''].join(' ');
  return (
    <article className={kind} aria-label={`${name}, ${instant(new Date(createdAt).toISOString())}`}>
      {(isFirst || isError) && (
        <header className={styles.header}>
          <strong>{name}</strong>
          <time dateTime={new Date(createdAt).toISOString()}>{instant(new Date(createdAt).toISOString())}</time>
          {isError && <Badge tone="bad">error</Badge>}
          {isQueued && <Badge tone="warn">queued</Badge>}
        </header>
      )}
      <MessageTools messageId={id} content={content} />
      <div className={styles.blocks}>
        {content.map((block, i) => (
          <Part key={i} {...{ block, results, isRunning }} id={`${id}-${i}`} isMarkdown={role !== 'user'} />
        ))}
      </div>
    </article>
  );
}

interface PartProps extends Pick<Props, 'results' | 'isRunning'> {
  readonly id: string;
  readonly block: Block;
  readonly isMarkdown: boolean;
}

function Part({ id, block, results, isRunning, isMarkdown }: PartProps) {
  switch (block.type) {
    case 'text':
      if (!isMarkdown) return <CutText text={block.text} />;
      return (
        <Suspense fallback={<CutText text={block.text} />}>
          <Markdown text={block.text} />
        </Suspense>
      );
    case 'thinking':
      return (
        <Fold id={id} summary={<span className={styles.thinking}>Thinking{seconds(block.durationMs)}</span>}>
          {() => <CutText text={block.thinking} />}
        </Fold>
      );
    case 'redacted_thinking':
      return <p className={styles.thinking}>Thinking that the provider does not show</p>;
    case 'tool_use':
      return <ToolStep use={block} result={results.get(block.id)} isRunning={isRunning} />;
    case 'tool_result':
      return (
        <Fold id={id} summary={<span>Result of an earlier step{block.isError && ' (failed)'}</span>}>
          {() => <ResultText content={block.content} />}
        </Fold>
      );
    case 'image':
    case 'document':
      return <Attachment source={block.source} />;
    default:
      return null;
  }
}

function seconds(durationMs: number | undefined): string {
  return durationMs === undefined ? '' : ` for ${Math.max(1, Math.round(durationMs / 1000))} s`;
}
