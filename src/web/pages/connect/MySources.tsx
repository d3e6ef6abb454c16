import type { Source } from '../../api/telemetry.js';
import { ago, instant, whole } from '../../format.js';
import type { Column } from '../../ui/column.js';
import { DataTable } from '../../ui/DataTable.js';
import { useNow } from '../../ui/use-now.js';
import { AGENTS } from './setups.js';

export function MySources({ sources }: { sources: readonly Source[] }) {
  const nowMs = useNow();
  const columns: Column<Source>[] = [
    { name: 'Agent', show: ({ agent }) => (AGENTS as Readonly<Record<string, string>>)[agent] ?? agent },
    { name: 'Version', show: ({ version }) => version || '–' },
    {
      name: 'Last seen',
      show: ({ lastSeenAt }) => <span title={instant(lastSeenAt)}>{ago(lastSeenAt, nowMs)}</span>,
    },
    { name: 'Counted', isNumber: true, show: ({ counted }) => whole(counted) },
    { name: 'Unknown', isNumber: true, show: ({ ignored }) => whole(ignored) },
    { name: 'Refused', isNumber: true, show: ({ refused }) => whole(refused) },
    { name: 'Why refused', show: ({ lastReason }) => lastReason ?? '–' },
  ];
  return (
    <DataTable
      caption="Sources"
      columns={columns}
      rows={sources}
      keyOf={({ agent, version }) => `${agent} ${version}`}
    />
  );
}
