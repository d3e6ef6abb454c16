import { useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, bodyOf } from '../../api/client.js';
import type { Session } from '../../api/sessions.js';
import { Button } from '../../ui/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { TextField } from '../../ui/Field.js';
import styles from './Session.module.css';

export function Rename({ session: { sessionId, title = '' }, onClose }: { session: Session; onClose: () => void }) {
  const [text, setText] = useState(title);
  const [problem, setProblem] = useState<string>();
  const rename = useAction({
    run: () =>
      bodyOf(api.PUT('/api/v0/sessions/{sessionId}/title', { params: { path: { sessionId } }, body: { title: text } })),
    changes: ['sessions'],
    onDone: onClose,
    onProblem: ({ detail }) => {
      setProblem(detail);
      return true;
    },
  });
  return (
    <Dialog title="Rename the session" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
        className={styles.form}
      >
        <TextField
          label="Title"
          autoFocus
          maxLength={200}
          value={text}
          problem={problem}
          onChange={({ target }) => setText(target.value)}
        />
        <div className={styles.formActions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={text.trim() === '' || rename.isPending}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
