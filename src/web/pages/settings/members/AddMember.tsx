import { type FormEvent, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, bodyOf } from '../../../api/client.js';
import { ROLES, type RoleName } from '../../../api/members.js';
import type { Problem } from '../../../api/problem.js';
import { Button } from '../../../ui/Button.js';
import { Dialog } from '../../../ui/Dialog.js';
import { SelectField, TextField } from '../../../ui/Field.js';
import styles from '../parts.module.css';

interface NewMember {
  readonly email: string;
  readonly role: RoleName;
  readonly firstName: string;
  readonly lastName: string;
}

const EMPTY: NewMember = { email: '', role: 'member', firstName: '', lastName: '' };

export function AddMember({ onClose }: { onClose: () => void }) {
  const [person, setPerson] = useState(EMPTY);
  const [problem, setProblem] = useState<Problem | null>(null);
  const action = useAction({
    run: ({ firstName, lastName, ...needed }: NewMember) =>
      bodyOf(
        api.POST('/api/v0/organization/users', {
          body: { ...needed, ...(firstName ? { firstName } : {}), ...(lastName ? { lastName } : {}) },
        }),
      ),
    changes: ['members'],
    done: 'Added. They sign in with SSO, or with an API key that you create for them.',
    onDone: onClose,
    onProblem: (told) => {
      setProblem(told);
      return true;
    },
  });
  const set = (next: Partial<NewMember>) => setPerson({ ...person, ...next });
  const wrong = (field: string) => problem?.errors.find((error) => error.field === field)?.message;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    action.mutate(person);
  };
  return (
    <Dialog title="Add a person" onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label="E-mail address"
          type="email"
          required
          autoFocus
          value={person.email}
          problem={wrong('email') ?? (problem?.status === 409 ? problem.detail : undefined)}
          onChange={({ target }) => set({ email: target.value })}
        />
        <SelectField
          label="Role"
          value={person.role}
          options={ROLES}
          hint="Members work with agents and see their own figures. Managers see all figures. Owners may do everything. Guests see next to nothing."
          onChange={({ target }) => set({ role: target.value as RoleName })}
        />
        <TextField
          label="First name (optional)"
          value={person.firstName}
          problem={wrong('firstName')}
          onChange={({ target }) => set({ firstName: target.value })}
        />
        <TextField
          label="Last name (optional)"
          value={person.lastName}
          problem={wrong('lastName')}
          onChange={({ target }) => set({ lastName: target.value })}
        />
        {problem && problem.status !== 409 && problem.errors.length === 0 && (
          <p className={styles.problem} role="alert">
            {problem.detail}
          </p>
        )}
        <div className={styles.end}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={action.isPending}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
