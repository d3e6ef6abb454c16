import type { Computer, Presence } from '../../api/computers.js';
import { useMe } from '../../api/me.js';
import { whole } from '../../format.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import type { Column } from '../../ui/column.js';
import { DataTable } from '../../ui/DataTable.js';
import { useNow } from '../../ui/use-now.js';
import { ComputerState } from './ComputerState.js';
import { PersonName } from './PersonName.js';
import styles from './Computers.module.css';

interface Props {
  readonly computers: readonly Computer[];
  readonly presence: readonly Presence[];
  readonly onManage: (computer: Computer) => void;
  readonly onConnect: (computer: Computer) => void;
}

interface Row {
  readonly computer: Computer;
  readonly presence: Presence;
}

export function ComputersTable({ computers, presence, onManage, onConnect }: Props) {
  const nowMs = useNow();
  const me = useMe();
  const known = new Map(presence.map((one) => [one.computerId, one]));
  const rows = computers.flatMap((computer): Row[] => {
    const one = known.get(computer.id);
    return one ? [{ computer, presence: one }] : [];
  });
  const isMine = (row: Row) => row.presence.registeredBy === me.data?.user.id;
  const columns: Column<Row>[] = [
    { name: 'Name', show: ({ computer }) => <Name computer={computer} /> },
    { name: 'State', show: (row) => <ComputerState {...row} nowMs={nowMs} /> },
    { name: 'Agent', show: ({ presence: { agent } }) => <Agent agent={agent} /> },
    { name: 'Running', isNumber: true, show: ({ presence: { runningTurns } }) => whole(runningTurns) },
    { name: 'Waiting', isNumber: true, show: ({ presence: { waitingTurns } }) => whole(waitingTurns) },
    { name: 'Registered by', show: ({ presence: { registeredBy } }) => <PersonName userId={registeredBy} /> },
    {
      name: 'Access',
      show: ({ presence: { access, trusted } }) => (
        <div className={styles.row}>
          <Badge tone={access === 'organization' ? 'accent' : 'neutral'}>
            {access === 'organization' ? 'everybody' : 'private'}
          </Badge>
          {trusted && <Badge tone="accent">trusted</Badge>}
        </div>
      ),
    },
    {
      name: 'Actions',
      show: (row) => (
        <div className={styles.actions}>
          {!row.presence.online && isMine(row) && (
            <Button onClick={() => onConnect(row.computer)} aria-label={`Connect ${row.computer.name}`}>
              Connect
            </Button>
          )}
          <Button onClick={() => onManage(row.computer)} aria-label={`Manage ${row.computer.name}`}>
            Manage
          </Button>
        </div>
      ),
    },
  ];
  return <DataTable caption="Computers" columns={columns} rows={rows} keyOf={({ computer }) => computer.id} />;
}

function Name({ computer: { name, hostname, remoteUser } }: { computer: Computer }) {
  const place = [remoteUser, hostname].filter(Boolean).join('@');
  return (
    <div className={styles.state}>
      <span className={styles.name}>{name}</span>
      {place && place !== name && <span className={styles.note}>{place}</span>}
    </div>
  );
}

function Agent({ agent }: { agent: Presence['agent'] }) {
  return <div className={styles.agent}>{agent ? `${agent.name} ${agent.version}` : '–'}</div>;
}
