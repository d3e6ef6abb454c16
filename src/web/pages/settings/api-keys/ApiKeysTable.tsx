import type { ApiKey } from '../../../api/api-keys.js';
import { ago, instant } from '../../../format.js';
import { Badge } from '../../../ui/Badge.js';
import { Button } from '../../../ui/Button.js';
import type { Column } from '../../../ui/column.js';
import { DataTable } from '../../../ui/DataTable.js';
import styles from '../parts.module.css';

interface Props {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: (key: ApiKey) => void;
}

export function ApiKeysTable({ keys, onRevoke }: Props) {
  const now = Date.now();
  const columns: Column<ApiKey>[] = [
    {
      name: 'Key',
      show: ({ name, prefix }) => (
        <span className={styles.who}>
          {name || 'without a name'}
          <span className={styles.mono}>{prefix}…</span>
        </span>
      ),
    },
    { name: 'Of', show: ({ userEmail }) => userEmail },
    {
      name: 'May',
      show: ({ scope }) => (scope === 'full' ? 'everything of its user' : <Badge tone="accent">send telemetry</Badge>),
    },
    {
      name: 'Last used',
      show: ({ lastUsedAt }) =>
        lastUsedAt ? <span title={instant(lastUsedAt)}>{ago(lastUsedAt, now)}</span> : 'never',
    },
    { name: 'Expires', show: ({ expiresAt }) => <Expiry at={expiresAt} now={now} /> },
    {
      name: 'Access',
      isNumber: true,
      show: (key) => (
        <Button aria-label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
          Revoke
        </Button>
      ),
    },
  ];
  return <DataTable caption="API keys" columns={columns} rows={keys} keyOf={({ id }) => id} />;
}

function Expiry({ at, now }: { at: string | undefined; now: number }) {
  if (at === undefined) return 'never';
  return Date.parse(at) <= now ? <Badge tone="bad">expired</Badge> : <span title={instant(at)}>{ago(at, now)}</span>;
}
