import { useMemo, useState } from 'react';
import type { Controls, ControlsSettings } from '../../../api/controls.js';
import type { FieldProblem } from '../../../api/problem.js';
import { Button } from '../../../ui/Button.js';
import { jsonDiff } from '../json-diff.js';
import type { JsonObject } from './at-path.js';
import { ControlsForm } from './ControlsForm.js';
import { ControlsJson } from './ControlsJson.js';
import { ReviewControls } from './ReviewControls.js';
import own from './Controls.module.css';
import styles from '../parts.module.css';

/** The settings as a form, the same as JSON beside it; nothing is saved before its difference was shown. */
export function ControlsEditor({ controls, mayChange }: { controls: Controls; mayChange: boolean }) {
  const saved = controls.settings as JsonObject;
  const [draft, setDraft] = useState(saved);
  const [isReviewed, setReviewed] = useState(false);
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const differences = useMemo(() => jsonDiff(saved, draft), [saved, draft]);
  const change = (next: JsonObject) => {
    setDraft(next);
    setProblems([]);
  };
  return (
    <>
      <div className={own.columns}>
        <ControlsForm settings={draft} problems={problems} mayChange={mayChange} onChange={change} />
        <ControlsJson settings={draft} mayChange={mayChange} onChange={change} />
      </div>
      {mayChange && (
        <div className={own.bar}>
          <span className={styles.note}>
            {differences.length === 0
              ? 'No changes'
              : `${differences.length} ${differences.length === 1 ? 'change' : 'changes'}, not saved yet`}
          </span>
          <Button disabled={differences.length === 0} onClick={() => change(saved)}>
            Discard
          </Button>
          <Button kind="primary" disabled={differences.length === 0} onClick={() => setReviewed(true)}>
            Review and save
          </Button>
        </div>
      )}
      {isReviewed && (
        <ReviewControls
          title="Review the changes"
          base={controls}
          next={draft as ControlsSettings}
          onClose={() => setReviewed(false)}
          onRefused={(told) => {
            setProblems(told);
            setReviewed(false);
          }}
        />
      )}
    </>
  );
}
