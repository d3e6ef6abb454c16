import { useState } from 'react';
import { useMe } from '../../../api/me.js';
import { useMembers } from '../../../api/members.js';
import { Asked } from '../../../ui/Asked.js';
import { Button } from '../../../ui/Button.js';
import { Card } from '../../../ui/Card.js';
import { LoadMore } from '../../../ui/LoadMore.js';
import { useOwnSearch } from '../use-own-search.js';
import { AddMember } from './AddMember.js';
import { MemberFilters } from './MemberFilters.js';
import { MembersTable } from './MembersTable.js';
import { readMembersSearch } from './search.js';

/** Everybody of the organization; owners add people, change roles and take access away. */
export function MembersSection() {
  const [filter, change] = useOwnSearch(readMembersSearch);
  const [isAdding, setAdding] = useState(false);
  const mayChange = useMe().data?.role === 'owner';
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Card
      title="Members"
      actions={
        mayChange && (
          <Button kind="primary" onClick={() => setAdding(true)}>
            Add a person
          </Button>
        )
      }
    >
      <MemberFilters filter={filter} onChange={change} />
      <Asked
        query={useMembers(filter)}
        empty={({ rows }) => (rows.length === 0 ? <Nobody isFiltered={isFiltered} /> : null)}
      >
        {(list) => (
          <>
            <MembersTable members={list.rows} mayChange={mayChange} />
            <LoadMore list={list} />
          </>
        )}
      </Asked>
      {isAdding && <AddMember onClose={() => setAdding(false)} />}
    </Card>
  );
}

function Nobody({ isFiltered }: { isFiltered: boolean }) {
  return (
    <>
      <strong>Nobody matches</strong>
      <p>{isFiltered ? 'Take a filter away to see more people.' : 'An owner can add people here.'}</p>
    </>
  );
}
