import { useState } from 'react';
import { type Controls, type ControlsChange, useControlsHistory } from '../../../api/controls.js';
import { instant } from '../../../format.js';
import { Asked } from '../../../ui/Asked.js';
import { Badge } from '../../../ui/Badge.js';
import { Button } from '../../../ui/Button.js';
import type { Column } from '../../../ui/column.js';
import { DataTable } from '../../../ui/DataTable.js';
import { LoadMore } from '../../../ui/LoadMore.js';
import { useOwnSearch } from '../use-own-search.js';
import { comparedRevisions, readRevisions } from './revisions.js';
import { ReviewControls } from './ReviewControls.js';
import { RevisionDiff } from './RevisionDiff.js';

/** Every revision; any two of them are compared, and an old one is restored by saving it again. */
export function ControlsHistory({ controls, mayChange }: { controls: Controls; mayChange: boolean }) {
  const [search, change] = useOwnSearch(readRevisions);
  const [restored, setRestored] = useState<ControlsChange | null>(null);
  const { a, b } = comparedRevisions(search, controls.revision);
  const pick = (side: 'a' | 'b', name: string): Column<ControlsChange> => ({
    name,
    show: ({ revision }) => (
      <input
        type="radio"
        name={`side-${side}`}
        aria-label={`${name} revision ${revision}`}
        checked={revision === (side === 'a' ? a : b)}
        onChange={() => change({ [side]: String(revision) })}
      />
    ),
  });
  const columns: Column<ControlsChange>[] = [
    pick('a', 'From'),
    pick('b', 'To'),
    {
      name: 'Revision',
      show: ({ revision }) => (
        <>
          {revision} {revision === controls.revision && <Badge tone="good">in force</Badge>}
        </>
      ),
    },
    { name: 'Set by', show: ({ user }) => user.email || 'erased person' },
    { name: 'When', show: ({ updatedAt }) => instant(updatedAt) },
  ];
  if (mayChange) {
    columns.push({
      name: 'Change',
      isNumber: true,
      show: (one) =>
        one.revision !== controls.revision && (
          <Button aria-label={`Restore revision ${one.revision}`} onClick={() => setRestored(one)}>
            Restore
          </Button>
        ),
    });
  }
  return (
    <Asked query={useControlsHistory()} empty={({ rows }) => (rows.length === 0 ? <Never /> : null)}>
      {(list) => (
        <>
          <DataTable
            caption="Revisions"
            columns={columns}
            rows={list.rows}
            keyOf={({ revision }) => String(revision)}
          />
          <LoadMore list={list} />
          <RevisionDiff a={a} b={b} loaded={list.rows} />
          {restored && (
            <ReviewControls
              title={`Restore revision ${restored.revision}`}
              note="It is saved again as a new revision. Secrets are not kept in the history: one that is the same as now stays, another one cannot be restored and has to be typed again."
              base={controls}
              next={restored.settings}
              onClose={() => setRestored(null)}
            />
          )}
        </>
      )}
    </Asked>
  );
}

function Never() {
  return (
    <>
      <strong>Nothing was ever set</strong>
      <p>The first saved settings are revision 1.</p>
    </>
  );
}
