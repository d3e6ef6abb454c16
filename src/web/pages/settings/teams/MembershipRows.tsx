import { type Member, nameOf } from '../../../api/members.js';
import type { TeamMember } from '../../../api/teams.js';
import { utcToday } from '../../../shell/search.js';
import { Badge } from '../../../ui/Badge.js';
import { Button } from '../../../ui/Button.js';
import type { Column } from '../../../ui/column.js';
import { DataTable } from '../../../ui/DataTable.js';
import { PersonLink } from '../PersonLink.js';
import { DayInput } from './DayInput.js';
import { isMemberOn } from './memberships.js';
import styles from '../parts.module.css';

interface Props {
  readonly rows: readonly TeamMember[];
  readonly people: ReadonlyMap<string, Member> | undefined;
  readonly wrong: ReadonlyMap<number, string>;
  readonly mayChange: boolean;
  readonly onChange: (rows: readonly TeamMember[]) => void;
}

interface Row extends TeamMember {
  readonly place: number;
}

export function MembershipRows({ rows, people, wrong, mayChange, onChange }: Props) {
  const set = ({ place }: Row, next: Partial<TeamMember>) =>
    onChange(rows.map((row, i) => (i === place ? { ...row, ...next } : row)));
  const who = ({ userId }: Row) => {
    const person = people?.get(userId);
    return person ? nameOf(person) : userId;
  };
  const columns: Column<Row>[] = [
    {
      name: 'Person',
      show: (row) => (
        <>
          <PersonLink id={row.userId} name={who(row)} email={people?.get(row.userId)?.email ?? ''} />
          {wrong.has(row.place) && (
            <p className={styles.problem} role="alert">
              {wrong.get(row.place)}
            </p>
          )}
        </>
      ),
    },
    {
      name: 'First day',
      show: (row) => (
        <DayInput
          name={`First day of ${who(row)}`}
          value={row.from}
          mayChange={mayChange}
          onChange={(from) => set(row, { from })}
        />
      ),
    },
    {
      name: 'Last day',
      show: (row) => (
        <DayInput
          name={`Last day of ${who(row)}`}
          value={row.to ?? ''}
          mayChange={mayChange}
          onChange={(to) => set(row, { to: to || null })}
        />
      ),
    },
    {
      name: 'Today',
      show: (row) =>
        isMemberOn(utcToday(), row) ? (
          <Badge tone="good">in the team</Badge>
        ) : (
          <Badge>{row.from > utcToday() ? 'later' : 'left'}</Badge>
        ),
    },
  ];
  if (mayChange) {
    columns.push({
      name: 'Change',
      isNumber: true,
      show: (row) => (
        <Button
          aria-label={`Take ${who(row)} out of the list`}
          onClick={() => onChange(rows.filter((_, i) => i !== row.place))}
        >
          Take out
        </Button>
      ),
    });
  }
  const placed = rows.map((row, place) => ({ ...row, place }));
  return (
    <DataTable caption="People of the team" columns={columns} rows={placed} keyOf={({ place }) => String(place)} />
  );
}
