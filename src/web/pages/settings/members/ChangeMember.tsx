import { useAction } from '../../../api/action.js';
import { api, bodyOf } from '../../../api/client.js';
import { type Member, nameOf } from '../../../api/members.js';
import { Confirm } from '../../../ui/Confirm.js';
import type { MemberChange } from './MemberActions.js';

const MEANINGS: Readonly<Record<MemberChange, { verb: string; done: string; text: string }>> = {
  deactivate: {
    verb: 'Deactivate',
    done: 'Deactivated. Their keys are gone, and they are signed out everywhere.',
    text: 'They are signed out everywhere within a second, and their API keys are deleted. Figures and sessions stay. You can let them in again later.',
  },
  reactivate: {
    verb: 'Reactivate',
    done: 'Reactivated.',
    text: 'They may sign in again, with the role they had. Their old API keys stay deleted.',
  },
  erase: {
    verb: 'Erase for good',
    done: 'Erased.',
    text: 'Name and address disappear from figures, the audit log and the history of the controls; sessions and messages are deleted. Figures stay, without a name. This cannot be undone.',
  },
};

interface Props {
  readonly member: Member;
  readonly change: MemberChange;
  readonly onClose: () => void;
}

export function ChangeMember({ member, change, onClose }: Props) {
  const { verb, done, text } = MEANINGS[change];
  const action = useAction({
    run: () => run(change, member.id),
    changes: ['members', 'api-keys', 'limits'],
    done,
    onDone: onClose,
  });
  return (
    <Confirm
      title={`${verb}: ${nameOf(member)}`}
      verb={verb}
      isDangerous={change !== 'reactivate'}
      isRunning={action.isPending}
      onConfirm={() => action.mutate()}
      onClose={onClose}
    >
      {text}
    </Confirm>
  );
}

function run(change: MemberChange, userId: string): Promise<unknown> {
  const params = { path: { userId } };
  if (change === 'deactivate') return bodyOf(api.DELETE('/api/v0/organization/users/{userId}', { params }));
  if (change === 'erase') return bodyOf(api.POST('/api/v0/organization/users/{userId}/erase', { params }));
  return bodyOf(api.PATCH('/api/v0/organization/users/{userId}', { params, body: { state: 'active' } }));
}
