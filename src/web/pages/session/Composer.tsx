import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Presence } from '../../api/computers.js';
import type { Problem } from '../../api/problem.js';
import type { Session } from '../../api/sessions.js';
import { Button } from '../../ui/Button.js';
import { pick, type Picked } from './attachments.js';
import { AttachmentList } from './AttachmentList.js';
import { ComputerNote } from './ComputerNote.js';
import { InterruptButton } from './InterruptButton.js';
import type { Draft } from './outbox.js';
import styles from './Composer.module.css';

export interface Refusal {
  readonly draft: Draft;
  readonly problem: Problem;
}

interface Props {
  readonly session: Session;
  readonly presence: {
    readonly isKnown: boolean;
    readonly computer: Presence | undefined;
    readonly computers: ReadonlyMap<string, Presence> | undefined;
  };
  /** How many messages wait. */
  readonly queued: number;
  /** The last message was refused: its text is here again. */
  readonly refusal: Refusal | null;
  readonly onSend: (draft: Draft) => void;
}

const MAX_TEXT = 1_000_000;
/** What was typed and not sent, while the tab is open. */
const drafts = new Map<string, string>();

export function Composer({ session, presence, queued, refusal, onSend }: Props) {
  const { sessionId, status } = session;
  const [text, setText] = useState(() => drafts.get(sessionId) ?? '');
  const [attachments, setAttachments] = useState<readonly Picked[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const [computerId, setComputerId] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => void drafts.set(sessionId, text), [sessionId, text]);
  useEffect(() => {
    if (!refusal) return;
    setText((now) => (now === '' ? refusal.draft.text : `${refusal.draft.text}\n\n${now}`));
    setAttachments((now) => [...refusal.draft.attachments, ...now]);
  }, [refusal]);

  const isReady = text.trim() !== '' && text.length <= MAX_TEXT;
  const send = () => {
    if (!isReady) return;
    onSend({ text, attachments, ...(computerId === undefined ? {} : { computerId }) });
    setText('');
    setAttachments([]);
    setRefused([]);
    field.current?.focus();
  };
  const add = (files: readonly File[]) => {
    const choice = pick(attachments, files);
    setAttachments(choice.accepted);
    setRefused(choice.refused);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    add([...event.dataTransfer.files]);
  };

  return (
    <form
      className={styles.composer}
      aria-label="Write to the agent"
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <ComputerNote {...presence} {...{ status, queued, computerId }} onChoose={setComputerId} />
      {refusal && (
        <p className={styles.problem} role="alert">
          Not sent. {refusal.problem.detail}
        </p>
      )}
      {refused.length > 0 && (
        <ul className={styles.problem} role="alert">
          {refused.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <AttachmentList
        attachments={attachments}
        onRemove={(i) => setAttachments((now) => now.filter((_picked, at) => at !== i))}
      />
      <textarea
        ref={field}
        className={styles.text}
        aria-label="Message"
        placeholder="Message the agent. Enter sends, Shift Enter begins a new line."
        rows={2}
        maxLength={MAX_TEXT}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div className={styles.buttons}>
        <label className={styles.attach}>
          Attach
          <input
            type="file"
            multiple
            className="visually-hidden"
            aria-label="Attach pictures, PDF or text"
            onChange={({ target }) => {
              add([...(target.files ?? [])]);
              target.value = '';
            }}
          />
        </label>
        <span className={styles.space} />
        <InterruptButton sessionId={sessionId} status={status} />
        <Button kind="primary" type="submit" disabled={!isReady}>
          {status === 'idle' ? 'Send' : 'Queue'}
        </Button>
      </div>
    </form>
  );
}
