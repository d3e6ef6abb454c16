import type { ControlsChange } from '../../../api/controls.js';
import { DiffView } from '../DiffView.js';
import { type Json, jsonDiff } from '../json-diff.js';
import styles from '../parts.module.css';
import own from './Controls.module.css';

interface Props {
  readonly a: number;
  readonly b: number;
  readonly loaded: readonly ControlsChange[];
}

export function RevisionDiff({ a, b, loaded }: Props) {
  const settingsOf = (revision: number): Json | undefined =>
    revision === 0 ? {} : (loaded.find((one) => one.revision === revision)?.settings as Json | undefined);
  const [from, to] = [settingsOf(a), settingsOf(b)];
  const missing = [a, b].filter((_, i) => [from, to][i] === undefined);
  return (
    <section aria-label="Comparison" className={own.comparison}>
      <h3>
        {a === 0 ? 'Nothing set' : `Revision ${a}`} against revision {b}
      </h3>
      {missing.length > 0 ? (
        <p className={styles.note}>Load more to see revision {missing.join(' and ')}.</p>
      ) : (
        <DiffView differences={jsonDiff(from, to)} names={[`revision ${a}`, `revision ${b}`]} />
      )}
    </section>
  );
}
