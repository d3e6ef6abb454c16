import { useDeferredValue, useId, useState } from 'react';
import { type Member, nameOf, useFoundMembers } from '../../api/members.js';
import { TextField } from '../../ui/Field.js';

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly problem?: string | undefined;
  /** Null while what is typed is nobody's address. */
  readonly onChoose: (person: Member | null) => void;
}

/** A person of the organization, found by name or address. */
export function PersonField({ label, hint, problem, onChoose }: Props) {
  const [text, setText] = useState('');
  const list = useId();
  const found = useFoundMembers(useDeferredValue(text.trim())).data?.members ?? [];
  const type = (next: string) => {
    setText(next);
    onChoose(found.find(({ email }) => email.toLowerCase() === next.trim().toLowerCase()) ?? null);
  };
  return (
    <>
      <TextField
        label={label}
        hint={hint}
        problem={problem}
        list={list}
        value={text}
        autoComplete="off"
        placeholder="Name or e-mail address"
        onChange={({ target }) => type(target.value)}
        onBlur={() => type(text)}
      />
      <datalist id={list}>
        {found.map((person) => (
          <option key={person.id} value={person.email}>
            {nameOf(person)}
          </option>
        ))}
      </datalist>
    </>
  );
}
