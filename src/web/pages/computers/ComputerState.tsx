import type { Computer, Presence } from '../../api/computers.js';
import { ago, instant } from '../../format.js';
import { Badge } from '../../ui/Badge.js';
import styles from './Computers.module.css';

/** Connected, away since when, or why it cannot run. */
export function ComputerState({
  computer,
  presence,
  nowMs,
}: {
  computer: Computer;
  presence: Presence;
  nowMs: number;
}) {
  const problem = problemOf(computer);
  if (problem !== undefined) {
    return (
      <div className={styles.state}>
        <Badge tone="bad">cannot run</Badge>
        <span className={styles.note}>{problem}</span>
      </div>
    );
  }
  if (presence.online) return <Badge tone="good">online</Badge>;
  const { lastSeenAt } = presence;
  return (
    <div className={styles.state}>
      <Badge tone={lastSeenAt ? 'neutral' : 'warn'}>{lastSeenAt ? 'offline' : 'never connected'}</Badge>
      {lastSeenAt && (
        <span className={styles.note} title={instant(lastSeenAt)}>
          since {ago(lastSeenAt, nowMs)}
        </span>
      )}
    </div>
  );
}

/** What its agent said when it could not run; undefined: nothing. */
export function problemOf({ provisioningSteps = [] }: Computer): string | undefined {
  const failed = provisioningSteps.find(({ status }) => status === 'failed');
  return failed && (failed.error ?? `"${failed.name}" failed.`);
}
