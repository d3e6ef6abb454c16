import type { AuditEntry } from '../../../api/audit.js';
import { instant } from '../../../format.js';
import { DataTable } from '../../../ui/DataTable.js';
import { DiffView } from '../DiffView.js';
import { type Json, jsonDiff } from '../json-diff.js';
import type { AuditSearch } from './search.js';
import styles from './Audit.module.css';

interface Props {
  readonly entries: readonly AuditEntry[];
  readonly onFilter: (next: AuditSearch) => void;
}

export function AuditTable({ entries, onFilter }: Props) {
  return (
    <DataTable
      caption="Audit log"
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'When',
          show: ({ at }) => (
            <time className={styles.when} dateTime={at} title={at}>
              {instant(at)}
            </time>
          ),
        },
        { name: 'Who', show: ({ actor }) => <Who actor={actor} onFilter={onFilter} /> },
        { name: 'What', show: ({ action }) => <span className={styles.action}>{action}</span> },
        {
          name: 'Target',
          show: ({ target }) => (
            <button
              type="button"
              className={styles.target}
              title={`Only changes to ${target}`}
              onClick={() => onFilter({ target })}
            >
              {shortened(target)}
            </button>
          ),
        },
        { name: 'Change', show: (entry) => <Change entry={entry} /> },
      ]}
    />
  );
}

function Who({ actor, onFilter }: { actor: AuditEntry['actor']; onFilter: (next: AuditSearch) => void }) {
  const [value, shown] = actor ? [actor.id, actor.email || 'erased person'] : ['operator', 'operator'];
  return (
    <button
      type="button"
      className={styles.link}
      title={`Only changes of ${shown}`}
      onClick={() => onFilter({ actor: value })}
    >
      {shown}
    </button>
  );
}

function Change({ entry: { before, after, requestId } }: { entry: AuditEntry }) {
  return (
    <details className={styles.details}>
      <summary>Show</summary>
      <DiffView differences={jsonDiff((before ?? {}) as Json, (after ?? {}) as Json)} />
      {requestId && <p className={styles.request}>Request {requestId}</p>}
    </details>
  );
}

/** The end of an id tells more than its beginning, which is a time. */
function shortened(target: string): string {
  return target.length > 16 ? `…${target.slice(-12)}` : target;
}
