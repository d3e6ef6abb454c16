import { type Member, nameOf } from '../../../api/members.js';
import { Button } from '../../../ui/Button.js';
import styles from '../parts.module.css';

export type MemberChange = 'deactivate' | 'reactivate' | 'erase';

/** What may happen to the access of a person in their present state. */
export function MemberActions({ member, onAsk }: { member: Member; onAsk: (change: MemberChange) => void }) {
  const who = nameOf(member);
  if (member.email === '') return 'erased';
  if (member.state === 'active') {
    return (
      <Button onClick={() => onAsk('deactivate')} aria-label={`Deactivate ${who}`}>
        Deactivate
      </Button>
    );
  }
  return (
    <span className={styles.rowActions}>
      <Button onClick={() => onAsk('reactivate')} aria-label={`Reactivate ${who}`}>
        Reactivate
      </Button>
      <Button kind="danger" onClick={() => onAsk('erase')} aria-label={`Erase ${who}`}>
        Erase
      </Button>
    </span>
  );
}
