import { useState } from 'react';
import type { Member } from '../../../api/members.js';
import type { TeamMember } from '../../../api/teams.js';
import { utcToday } from '../../../shell/search.js';
import { Button } from '../../../ui/Button.js';
import { TextField } from '../../../ui/Field.js';
import { PersonField } from '../PersonField.js';
import styles from '../parts.module.css';

export function AddMembership({ onAdd }: { onAdd: (member: TeamMember) => void }) {
  const [person, setPerson] = useState<Member | null>(null);
  const [from, setFrom] = useState(utcToday);
  const [round, setRound] = useState(0);
  const add = () => {
    if (!person) return;
    onAdd({ userId: person.id, from });
    setPerson(null);
    setRound(round + 1);
  };
  return (
    <div className={styles.filters}>
      <PersonField key={round} label="Add a person" onChoose={setPerson} />
      <TextField
        label="From (first day, UTC)"
        type="date"
        value={from}
        onChange={({ target }) => setFrom(target.value)}
      />
      <div>
        <Button disabled={!person || !from} onClick={add}>
          Add to the list
        </Button>
      </div>
    </div>
  );
}
