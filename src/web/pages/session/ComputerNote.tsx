import type { Presence } from '../../api/computers.js';
import type { SessionStatus } from '../../api/sessions.js';
import styles from './Composer.module.css';

interface Props {
  readonly isKnown: boolean;
  readonly computer: Presence | undefined;
  readonly computers: ReadonlyMap<string, Presence> | undefined;
  readonly status: SessionStatus;
  readonly queued: number;
  /** Where the next message goes instead. */
  readonly computerId: string | undefined;
  readonly onChoose: (computerId: string | undefined) => void;
}

/** What keeps the agent from answering at once, and the way out. */
export function ComputerNote({ isKnown, computer, computers, status, queued, computerId, onChoose }: Props) {
  const isAway = isKnown && !computer?.online;
  const others = [...(computers?.values() ?? [])].filter((other) => other.computerId !== computer?.computerId);
  return (
    <div className={styles.note} role="status">
      <span>
        {noteOf({ isKnown, computer, status })}
        {queued > 0 && ` ${queued === 1 ? 'One message waits.' : `${queued} messages wait.`}`}
      </span>
      {isAway && status === 'idle' && others.length > 0 && (
        <label>
          Send to{' '}
          <select value={computerId ?? ''} onChange={({ target }) => onChoose(target.value || undefined)}>
            <option value="">{computer ? computer.name : 'choose a computer'}</option>
            {others.map((other) => (
              <option key={other.computerId} value={other.computerId}>
                {other.name} ({other.online ? 'online' : 'offline'})
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

function noteOf({ isKnown, computer, status }: Pick<Props, 'isKnown' | 'computer' | 'status'>): string {
  if (!isKnown) return '';
  if (!computer) return 'The computer of this session was deleted: choose another one to go on.';
  if (!computer.online) return `${computer.name} is offline: messages wait until its agent is connected.`;
  if (status === 'running') return 'The agent is working.';
  return status === 'pending' ? `${computer.name} is busy: messages wait for their turn.` : '';
}
