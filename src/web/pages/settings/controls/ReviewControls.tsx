import { useState } from 'react';
import { useAction } from '../../../api/action.js';
import { type Controls, type ControlsSettings, readControls, saveControls } from '../../../api/controls.js';
import type { FieldProblem } from '../../../api/problem.js';
import { Button } from '../../../ui/Button.js';
import { Dialog } from '../../../ui/Dialog.js';
import { DiffView } from '../DiffView.js';
import { type Json, jsonDiff } from '../json-diff.js';
import { ControlsConflict } from './ControlsConflict.js';
import styles from '../parts.module.css';
import own from './Controls.module.css';

interface Props {
  readonly title: string;
  /** On what the change is based. */
  readonly base: Controls;
  readonly next: ControlsSettings;
  readonly note?: string;
  readonly onClose: () => void;
  /** Fields that the service did not take; without it they are shown here. */
  readonly onRefused?: (problems: readonly FieldProblem[]) => void;
}

/** Shows the difference, then saves; when somebody else was quicker, both sides. */
export function ReviewControls({ title, base, next, note, onClose, onRefused }: Props) {
  const [problem, setProblem] = useState<string>();
  const [theirs, setTheirs] = useState<Controls | null>(null);
  const action = useAction({
    run: (revision: number) => saveControls(next, revision),
    changes: ['controls'],
    done: 'Saved. It holds within a second.',
    onDone: onClose,
    onProblem: ({ status, detail, errors }) => {
      if (status === 412) {
        void readControls().then(setTheirs);
        return true;
      }
      if (status === 400 && errors.length > 0 && onRefused) {
        onRefused(errors);
        return true;
      }
      setProblem(errors.length > 0 ? errors.map(({ field, message }) => `${field} ${message}`).join('; ') : detail);
      return true;
    },
  });
  if (theirs) {
    return (
      <ControlsConflict
        base={base}
        mine={next}
        theirs={theirs}
        isSaving={action.isPending}
        onSaveMine={() => action.mutate(theirs.revision)}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {note && <p className={styles.note}>{note}</p>}
      <div className={own.scroll} tabIndex={0} role="region" aria-label="Changes">
        <DiffView differences={jsonDiff(base.settings as Json, next as Json)} />
      </div>
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <div className={styles.end}>
        <Button onClick={onClose}>Back</Button>
        <Button kind="primary" disabled={action.isPending} onClick={() => action.mutate(base.revision)}>
          Save as revision {base.revision + 1}
        </Button>
      </div>
    </Dialog>
  );
}
