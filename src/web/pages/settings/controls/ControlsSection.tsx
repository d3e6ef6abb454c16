import { useControls } from '../../../api/controls.js';
import { useMe } from '../../../api/me.js';
import { instant } from '../../../format.js';
import { Asked } from '../../../ui/Asked.js';
import { Card } from '../../../ui/Card.js';
import { Choice } from '../../../ui/Choice.js';
import { useOwnSearch } from '../use-own-search.js';
import { ControlsEditor } from './ControlsEditor.js';
import { ControlsHistory } from './ControlsHistory.js';
import styles from '../parts.module.css';

const VIEWS = { now: 'In force', history: 'History' } as const;
type View = keyof typeof VIEWS;

const readView = (raw: Record<string, unknown>): { view: View } => ({
  view: raw.view === 'history' ? 'history' : 'now',
});

/** What agents may do in this organization. */
export function ControlsSection() {
  const [{ view }, change] = useOwnSearch(readView);
  const mayChange = useMe().data?.role === 'owner';
  const query = useControls();
  return (
    <Card
      title="Enterprise controls"
      actions={
        <Choice
          name="View"
          value={view}
          options={VIEWS}
          onChoose={(next) => change({ view: next === 'now' ? '' : next })}
        />
      }
    >
      <Asked query={query}>
        {(controls) => (
          <div className={styles.form}>
            <p className={styles.note}>
              {controls.updatedAt
                ? `Revision ${controls.revision}, set by ${controls.user?.email || 'an erased person'} on ${instant(controls.updatedAt)}.`
                : 'Nothing is set yet: everything is as the service has it by default.'}{' '}
              A new revision holds within a second, for running sessions from their next turn on.
            </p>
            {view === 'history' ? (
              <ControlsHistory controls={controls} mayChange={mayChange} />
            ) : (
              <ControlsEditor key={controls.revision} controls={controls} mayChange={mayChange} />
            )}
          </div>
        )}
      </Asked>
    </Card>
  );
}
