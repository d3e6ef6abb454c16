import { useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, bodyOf } from '../../api/client.js';
import { type Session, type SettingsChange, useModels } from '../../api/sessions.js';
import { Button } from '../../ui/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { SelectField } from '../../ui/Field.js';
import { LEVELS, levelsUpTo, MODES } from './choices.js';
import { ModelField } from './ModelField.js';
import styles from './Session.module.css';

/** How the agent works from the next message on. */
export function SettingsDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const { sessionId, sessionSettings: settings } = session;
  const { data: known } = useModels();
  const [model, setModel] = useState(settings?.model ?? '');
  const [level, setLevel] = useState<string>(settings?.autonomyLevel ?? '');
  const [mode, setMode] = useState<string>(settings?.interactionMode ?? '');
  const [problem, setProblem] = useState<string>();
  const max = known?.maxAutonomyLevel ?? 'high';
  const save = useAction({
    run: () => {
      const sessionSettings = {
        model: model.trim() || null,
        autonomyLevel: level || null,
        interactionMode: mode || null,
      } as SettingsChange;
      return bodyOf(
        api.PATCH('/api/v0/sessions/{sessionId}', { params: { path: { sessionId } }, body: { sessionSettings } }),
      );
    },
    done: 'The settings hold from the next message on.',
    changes: ['sessions'],
    onDone: onClose,
    onProblem: ({ detail }) => {
      setProblem(detail);
      return true;
    },
  });
  return (
    <Dialog title="Settings of this session" onClose={onClose}>
      <ModelField value={model} onChange={setModel} />
      <SelectField
        label="Autonomy"
        hint={max === 'high' ? 'What the agent does without asking.' : `Your organization allows up to ${LEVELS[max]}.`}
        value={level}
        options={{ '': 'Not set', ...levelsUpTo(max) }}
        onChange={({ target }) => setLevel(target.value)}
      />
      <SelectField
        label="Mode"
        value={mode}
        options={{ '': 'Not set', ...MODES }}
        onChange={({ target }) => setMode(target.value)}
      />
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <div className={styles.formActions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={save.isPending} onClick={() => save.mutate()}>
          Save
        </Button>
      </div>
    </Dialog>
  );
}
