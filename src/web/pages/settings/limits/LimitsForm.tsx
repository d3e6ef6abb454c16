import { useState } from 'react';
import type { UserLimit } from '../../../api/limits.js';
import { compact } from '../../../format.js';
import { Button } from '../../../ui/Button.js';
import type { Column } from '../../../ui/column.js';
import { DataTable } from '../../../ui/DataTable.js';
import { PersonLink } from '../PersonLink.js';
import { BulkLimit } from './BulkLimit.js';
import { forecast } from './limit-text.js';
import { LimitInput } from './LimitInput.js';
import { UsedBar } from './UsedBar.js';
import { useLimitDrafts } from './use-limit-drafts.js';
import own from './Limits.module.css';
import styles from '../parts.module.css';

/** Limits are typed into their rows, or into many at once, and saved together. */
export function LimitsForm({ rows }: { rows: readonly UserLimit[] }) {
  const drafts = useLimitDrafts(rows);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (userId: string) =>
    setChosen(new Set(chosen.has(userId) ? [...chosen].filter((id) => id !== userId) : [...chosen, userId]));
  const now = Date.now();
  const columns: Column<UserLimit>[] = [
    {
      name: 'Person',
      show: ({ userId, email }) => (
        <span className={own.person}>
          <input
            type="checkbox"
            aria-label={`Choose ${email}`}
            checked={chosen.has(userId)}
            onChange={() => toggle(userId)}
          />
          <PersonLink id={userId} email={email} />
        </span>
      ),
    },
    {
      name: 'Limit',
      show: (row) => (
        <LimitInput
          name={`Limit of ${row.email}`}
          value={drafts.textOf(row)}
          problem={drafts.problemOf(row)}
          onChange={(text) => drafts.type([row.userId], text)}
        />
      ),
    },
    {
      name: 'Used this month',
      show: (row) => <UsedBar used={row.used} limit={row.limit} forecast={forecast(row.used, row.resetsAt, now)} />,
    },
    { name: 'Forecast', isNumber: true, show: (row) => <Forecast row={row} now={now} /> },
  ];
  return (
    <div className={styles.form}>
      <BulkLimit
        count={chosen.size}
        areAllChosen={rows.every(({ userId }) => chosen.has(userId))}
        onChooseAll={(isAll) => setChosen(new Set(isAll ? rows.map(({ userId }) => userId) : []))}
        onApply={(text) => drafts.type([...chosen], text)}
      />
      <DataTable caption="Credit limits" columns={columns} rows={rows} keyOf={({ userId }) => userId} />
      {drafts.changed.length > 0 && (
        <div className={styles.end}>
          <span className={styles.note}>{drafts.changed.length} not saved yet</span>
          <Button onClick={drafts.discard}>Discard</Button>
          <Button
            kind="primary"
            disabled={!drafts.canSave || drafts.save.isPending}
            onClick={() => drafts.save.mutate()}
          >
            Save {drafts.changed.length === 1 ? 'one limit' : `${drafts.changed.length} limits`}
          </Button>
        </div>
      )}
    </div>
  );
}

function Forecast({ row: { used, limit, resetsAt }, now }: { row: UserLimit; now: number }) {
  const end = forecast(used, resetsAt, now);
  if (end === null) return '–';
  return (
    <>
      {compact(end)}
      {limit !== null && end > limit && used <= limit && <div className={styles.problem}>above the limit</div>}
    </>
  );
}
