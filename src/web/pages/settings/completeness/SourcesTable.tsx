import type { Source } from '../../../api/completeness.js';
import { ago, instant, whole } from '../../../format.js';
import { DataTable } from '../../../ui/DataTable.js';
import { PersonLink } from '../PersonLink.js';
import styles from '../parts.module.css';

export function SourcesTable({ sources }: { sources: readonly Source[] }) {
  const now = Date.now();
  return (
    <DataTable
      caption="Agents that send telemetry"
      rows={sources}
      keyOf={({ userId, agent, version }) => `${userId} ${agent} ${version}`}
      columns={[
        { name: 'Person', show: ({ userId, userEmail }) => <PersonLink id={userId} email={userEmail} /> },
        {
          name: 'Agent',
          show: ({ agent, version }) => (
            <span className={styles.who}>
              {agent}
              <span>{version || 'no version'}</span>
            </span>
          ),
        },
        {
          name: 'Last seen',
          show: ({ lastSeenAt }) => <span title={instant(lastSeenAt)}>{ago(lastSeenAt, now)}</span>,
        },
        { name: 'Counted', isNumber: true, show: ({ counted }) => whole(counted) },
        { name: 'Ignored', isNumber: true, show: ({ ignored }) => whole(ignored) },
        { name: 'Refused', isNumber: true, show: ({ refused }) => whole(refused) },
        {
          name: 'Last reason',
          show: ({ lastReason, lastRefusedAt }) =>
            lastReason ? (
              <span className={styles.who}>
                {lastReason}
                {lastRefusedAt && <span>{ago(lastRefusedAt, now)}</span>}
              </span>
            ) : (
              '–'
            ),
        },
      ]}
    />
  );
}
