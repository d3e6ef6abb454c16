import { useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, bodyOf } from '../../../api/client.js';
import type { Team } from '../../../api/teams.js';
import { Confirm } from '../../../ui/Confirm.js';
import styles from '../parts.module.css';

export function DeleteTeam({ team, onClose }: { team: Team; onClose: () => void }) {
  const [problem, setProblem] = useState<string>();
  const action = useAction({
    run: () => bodyOf(api.DELETE('/api/v0/organization/teams/{teamId}', { params: { path: { teamId: team.id } } })),
    changes: ['teams', 'members'],
    done: 'Deleted.',
    onDone: onClose,
    onProblem: ({ detail, status }) => {
      if (status === 409) setProblem(detail);
      return status === 409;
    },
  });
  return (
    <Confirm
      title={`Delete ${team.name}`}
      verb="Delete"
      isRunning={action.isPending}
      onConfirm={() => action.mutate()}
      onClose={onClose}
    >
      Only a team without memberships can be deleted: figures of the past count for it. To close a team and keep its
      figures, set the last day of everybody in it instead.
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </Confirm>
  );
}
