import { useState } from 'react';
import { type Member, nameOf } from '../../../api/members.js';
import { ago } from '../../../format.js';
import { Badge } from '../../../ui/Badge.js';
import type { Column } from '../../../ui/column.js';
import { DataTable } from '../../../ui/DataTable.js';
import { PersonLink } from '../PersonLink.js';
import { MemberActions, type MemberChange } from './MemberActions.js';
import { ChangeMember } from './ChangeMember.js';
import { RoleSelect } from './RoleSelect.js';

export function MembersTable({ members, mayChange }: { members: readonly Member[]; mayChange: boolean }) {
  const [asked, setAsked] = useState<{ member: Member; change: MemberChange } | null>(null);
  const columns: Column<Member>[] = [
    { name: 'Person', show: (member) => <PersonLink id={member.id} name={nameOf(member)} email={member.email} /> },
    { name: 'Role', show: (member) => <RoleSelect member={member} mayChange={mayChange} /> },
    {
      name: 'State',
      show: ({ state }) => (state === 'active' ? <Badge tone="good">active</Badge> : <Badge>deactivated</Badge>),
    },
    { name: 'Team', show: ({ team }) => team?.name ?? '–' },
    {
      name: 'Last sign-in',
      show: ({ lastSignInAt }) =>
        lastSignInAt ? <span title={lastSignInAt}>{ago(lastSignInAt, Date.now())}</span> : 'never',
    },
  ];
  if (mayChange) {
    columns.push({
      name: 'Access',
      isNumber: true,
      show: (member) => <MemberActions member={member} onAsk={(change) => setAsked({ member, change })} />,
    });
  }
  return (
    <>
      <DataTable caption="Members" columns={columns} rows={members} keyOf={({ id }) => id} />
      {asked && <ChangeMember {...asked} onClose={() => setAsked(null)} />}
    </>
  );
}
