import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Team, useTeams } from '../../../api/teams.js';
import { whole } from '../../../format.js';
import { utcToday } from '../../../shell/search.js';
import { Asked } from '../../../ui/Asked.js';
import { Button } from '../../../ui/Button.js';
import { Card } from '../../../ui/Card.js';
import type { Column } from '../../../ui/column.js';
import { DataTable } from '../../../ui/DataTable.js';
import { LoadMore } from '../../../ui/LoadMore.js';
import { countOn } from './memberships.js';
import { DeleteTeam } from './DeleteTeam.js';
import { TeamName } from './TeamName.js';
import styles from '../parts.module.css';

type Open = { readonly kind: 'new' } | { readonly kind: 'rename' | 'delete'; readonly team: Team };

export function TeamsList({ mayChange }: { mayChange: boolean }) {
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const columns: Column<Team>[] = [
    {
      name: 'Team',
      show: ({ id, name }) => (
        <Link to="/settings/$section" params={{ section: 'teams' }} search={{ team: id }}>
          {name}
        </Link>
      ),
    },
    { name: 'People today', isNumber: true, show: ({ members }) => whole(countOn(utcToday(), members)) },
    { name: 'Memberships, past ones too', isNumber: true, show: ({ members }) => whole(members.length) },
  ];
  if (mayChange) {
    columns.push({
      name: 'Change',
      isNumber: true,
      show: (team) => (
        <span className={styles.rowActions}>
          <Button aria-label={`Rename ${team.name}`} onClick={() => setOpen({ kind: 'rename', team })}>
            Rename
          </Button>
          <Button aria-label={`Delete ${team.name}`} onClick={() => setOpen({ kind: 'delete', team })}>
            Delete
          </Button>
        </span>
      ),
    });
  }
  return (
    <Card
      title="Teams"
      actions={
        mayChange && (
          <Button kind="primary" onClick={() => setOpen({ kind: 'new' })}>
            New team
          </Button>
        )
      }
    >
      <Asked query={useTeams()} empty={({ rows }) => (rows.length === 0 ? <NoTeams mayChange={mayChange} /> : null)}>
        {(list) => (
          <>
            <DataTable caption="Teams" columns={columns} rows={list.rows} keyOf={({ id }) => id} />
            <LoadMore list={list} />
          </>
        )}
      </Asked>
      {open?.kind === 'new' && <TeamName onClose={close} />}
      {open?.kind === 'rename' && <TeamName team={open.team} onClose={close} />}
      {open?.kind === 'delete' && <DeleteTeam team={open.team} onClose={close} />}
    </Card>
  );
}

function NoTeams({ mayChange }: { mayChange: boolean }) {
  return (
    <>
      <strong>No teams yet</strong>
      <p>
        Figures are then of the whole organization.{' '}
        {mayChange ? 'Create the first one above' : 'An owner can create one'}; teams can also follow a claim of your
        identity provider.
      </p>
    </>
  );
}
