import { useQueryClient } from '@tanstack/react-query';
import type { Controls, ControlsSettings } from '../../../api/controls.js';
import { Button } from '../../../ui/Button.js';
import { Dialog } from '../../../ui/Dialog.js';
import { DiffView } from '../DiffView.js';
import { type Json, jsonDiff } from '../json-diff.js';
import styles from '../parts.module.css';
import own from './Controls.module.css';

interface Props {
  readonly base: Controls;
  readonly mine: ControlsSettings;
  readonly theirs: Controls;
  readonly isSaving: boolean;
  readonly onSaveMine: () => void;
  readonly onClose: () => void;
}

/** Somebody else saved since this page was read: both sides against what it was, and a choice. */
export function ControlsConflict({ base, mine, theirs, isSaving, onSaveMine, onClose }: Props) {
  const queries = useQueryClient();
  const keepTheirs = () => {
    onClose();
    void queries.invalidateQueries({ queryKey: ['controls'] });
  };
  const sides: readonly (readonly [string, Json])[] = [
    ['Mine', mine as Json],
    [`Theirs: revision ${theirs.revision} of ${theirs.user?.email || 'somebody else'}`, theirs.settings as Json],
  ];
  return (
    <Dialog key="conflict" title="Somebody else was quicker" onClose={onClose}>
      <p className={styles.note}>
        Revision {theirs.revision} was saved after you began with revision {base.revision}. Both are compared with{' '}
        {base.revision === 0 ? 'nothing set' : `revision ${base.revision}`}. Nothing of yours is saved yet.
      </p>
      <div className={own.scroll} tabIndex={0} role="region" aria-label="Both sides">
        {sides.map(([name, side]) => (
          <section key={name} aria-label={name}>
            <h3>{name}</h3>
            <DiffView differences={jsonDiff(base.settings as Json, side)} />
          </section>
        ))}
      </div>
      <div className={styles.end}>
        <Button onClick={onClose}>Go on editing</Button>
        <Button onClick={keepTheirs}>Keep theirs, discard mine</Button>
        <Button kind="danger" disabled={isSaving} onClick={onSaveMine}>
          Save mine over theirs
        </Button>
      </div>
    </Dialog>
  );
}
