import { type FormEvent, useState } from 'react';
import { useAction } from '../../../api/action.js';
import type { CreatedApiKey, NewApiKey } from '../../../api/api-keys.js';
import { api, bodyOf } from '../../../api/client.js';
import type { Member } from '../../../api/members.js';
import type { Problem } from '../../../api/problem.js';
import { Button } from '../../../ui/Button.js';
import { SelectField, TextField } from '../../../ui/Field.js';
import { PersonField } from '../PersonField.js';
import { expiresAt, type Lifetime, LIFETIMES } from './expiry.js';
import styles from '../parts.module.css';

interface Props {
  readonly isOwner: boolean;
  readonly onCreated: (key: CreatedApiKey) => void;
  readonly onCancel: () => void;
}

const SCOPES = { full: 'Everything that its user may do', telemetry: 'Only send usage and telemetry' } as const;

export function ApiKeyForm({ isOwner, onCreated, onCancel }: Props) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<keyof typeof SCOPES>('full');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [day, setDay] = useState('');
  const [person, setPerson] = useState<Member | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const action = useAction({
    run: (body: NewApiKey) => bodyOf(api.POST('/api/v0/api-keys', { body })),
    changes: ['api-keys'],
    onDone: onCreated,
    onProblem: (told) => {
      setProblem(told);
      return true;
    },
  });
  const wrong = (field: string) => problem?.errors.find((error) => error.field === field)?.message;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    const end = expiresAt(lifetime, day, Date.now());
    action.mutate({ name, scope, ...(end ? { expiresAt: end } : {}), ...(person ? { userId: person.id } : {}) });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label="What it is for"
        required
        autoFocus
        maxLength={100}
        value={name}
        problem={wrong('name')}
        placeholder="nightly report"
        onChange={({ target }) => setName(target.value)}
      />
      <SelectField
        label="What it may do"
        value={scope}
        options={SCOPES}
        hint="For the settings of an agent, telemetry is enough."
        onChange={({ target }) => setScope(target.value as keyof typeof SCOPES)}
      />
      <SelectField
        label="How long it works"
        value={lifetime}
        options={LIFETIMES}
        problem={wrong('expiresAt')}
        onChange={({ target }) => setLifetime(target.value as Lifetime)}
      />
      {lifetime === 'day' && (
        <TextField
          label="Last day (UTC)"
          type="date"
          required
          value={day}
          onChange={({ target }) => setDay(target.value)}
        />
      )}
      {isOwner && (
        <PersonField
          label="Of whom (optional)"
          hint="Yourself when left empty. The key has the role of its user."
          problem={wrong('userId')}
          onChoose={setPerson}
        />
      )}
      {problem && problem.errors.length === 0 && (
        <p className={styles.problem} role="alert">
          {problem.detail}
        </p>
      )}
      <div className={styles.end}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={action.isPending}>
          Create
        </Button>
      </div>
    </form>
  );
}
