import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, bodyOf } from '../../../api/client.js';
import type { Team } from '../../../api/teams.js';
import { Button } from '../../../ui/Button.js';
import { Dialog } from '../../../ui/Dialog.js';
import { TextField } from '../../../ui/Field.js';
import styles from '../parts.module.css';

/** The name of a new team, or another name of this one. */
export function TeamName({ team, onClose }: { team?: Team; onClose: () => void }) {
  const [name, setName] = useState(team?.name ?? '');
  const [problem, setProblem] = useState<string>();
  const navigate = useNavigate();
  const action = useAction({
    run: () =>
      team
        ? bodyOf(
            api.PATCH('/api/v0/organization/teams/{teamId}', { params: { path: { teamId: team.id } }, body: { name } }),
          )
        : bodyOf(api.POST('/api/v0/organization/teams', { body: { name } })),
    changes: ['teams', 'members', 'breakdown'],
    done: team ? 'Renamed, for the past as well.' : 'Created.',
    onDone: ({ id }) => {
      onClose();
      if (!team) void navigate({ to: '/settings/$section', params: { section: 'teams' }, search: { team: id } });
    },
    onProblem: ({ detail, errors, status }) => {
      if (status !== 400 && status !== 409) return false;
      setProblem(errors[0]?.message ?? detail);
      return true;
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    action.mutate();
  };
  return (
    <Dialog title={team ? `Rename ${team.name}` : 'New team'} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label="Name"
          required
          autoFocus
          maxLength={100}
          value={name}
          problem={problem}
          hint="Up to 100 characters; no other team may have it."
          onChange={({ target }) => setName(target.value)}
        />
        <div className={styles.end}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={action.isPending}>
            {team ? 'Rename' : 'Create'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
