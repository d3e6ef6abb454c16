import { useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, bodyOf } from '../../../api/client.js';
import { useMe } from '../../../api/me.js';
import { type Member, nameOf, ROLES, type RoleName } from '../../../api/members.js';
import { Confirm } from '../../../ui/Confirm.js';
import styles from './Members.module.css';

/** The role; an owner changes it here, their own only after a question. */
export function RoleSelect({ member, mayChange }: { member: Member; mayChange: boolean }) {
  const me = useMe().data;
  const [asked, setAsked] = useState<RoleName | null>(null);
  const action = useAction({
    run: (role: RoleName) =>
      bodyOf(
        api.PATCH('/api/v0/organization/users/{userId}', { params: { path: { userId: member.id } }, body: { role } }),
      ),
    changes: ['members', 'me'],
    done: 'The role is changed; it holds at once.',
  });
  if (!mayChange || member.state === 'deactivated') return ROLES[member.role];
  const choose = (role: RoleName) => (member.id === me?.user.id ? setAsked(role) : action.mutate(role));
  return (
    <>
      <select
        className={styles.role}
        aria-label={`Role of ${nameOf(member)}`}
        value={action.isPending ? action.variables : member.role}
        disabled={action.isPending}
        onChange={({ target }) => choose(target.value as RoleName)}
      >
        {Object.entries(ROLES).map(([role, name]) => (
          <option key={role} value={role}>
            {name}
          </option>
        ))}
      </select>
      {asked && (
        <Confirm
          title={`Become a ${asked} yourself?`}
          verb="Change my role"
          isRunning={action.isPending}
          onConfirm={() => action.mutate(asked, { onSettled: () => setAsked(null) })}
          onClose={() => setAsked(null)}
        >
          You will not be able to undo this yourself: another owner has to. The last owner of an organization stays one.
        </Confirm>
      )}
    </>
  );
}
