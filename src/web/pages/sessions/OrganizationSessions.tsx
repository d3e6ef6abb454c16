import { Link } from '@tanstack/react-router';
import { type OrganizationSession, useOrganizationSessions } from '../../api/sessions.js';
import { useMe } from '../../api/me.js';
import { ago, compact, instant } from '../../format.js';
import { Asked } from '../../ui/Asked.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import type { Column } from '../../ui/column.js';
import { DataTable } from '../../ui/DataTable.js';
import { LoadMore } from '../../ui/LoadMore.js';
import { ContentNote, useContentAccess } from './ContentAccess.js';
import { Filters } from './Filters.js';
import { OrganizationFilters } from './OrganizationFilters.js';
import { tokensOf } from './OwnSessions.js';
import { periodOf, type SessionsSearch } from './search.js';
import { Short } from './Short.js';
import { StatusWord } from './StatusWord.js';
import styles from './Sessions.module.css';

interface Props {
  readonly search: SessionsSearch;
  readonly onChoose: (change: SessionsSearch) => void;
}

/** Who worked where, when and with how many tokens: no titles. */
export function OrganizationSessions({ search, onChoose }: Props) {
  const { computer, status, user } = search;
  const query = useOrganizationSessions({
    ...(computer ? { computerId: computer } : {}),
    ...(status ? { status } : {}),
    ...(user ? { userId: user } : {}),
    ...periodOf(search),
  });
  const access = useContentAccess();
  const me = useMe().data?.user.id;
  return (
    <>
      <ContentNote access={access} />
      <Card title="Sessions of the organization">
        <div className={styles.filters}>
          <Filters {...{ search, onChoose }} />
          <OrganizationFilters {...{ search, onChoose }} rows={query.data?.rows ?? []} />
        </div>
        <Asked query={query} empty={({ rows }) => (rows.length === 0 ? <Nothing onChoose={onChoose} /> : null)}>
          {(list) => (
            <>
              <DataTable
                caption="Sessions of the organization"
                columns={columnsFor(me, access === 'owners')}
                rows={list.rows}
                keyOf={({ sessionId }) => sessionId}
              />
              <LoadMore list={list} />
            </>
          )}
        </Asked>
      </Card>
    </>
  );
}

function columnsFor(me: string | undefined, mayRead: boolean): Column<OrganizationSession>[] {
  const now = Date.now();
  return [
    {
      name: 'Person',
      show: ({ userId, userEmail }) => (
        <Link to="/people/$userId" params={{ userId }}>
          <Short>{userEmail ?? 'Erased person'}</Short>
        </Link>
      ),
    },
    { name: 'Status', show: ({ status }) => <StatusWord status={status} /> },
    { name: 'Computer', show: ({ computerName }) => <Short>{computerName ?? 'deleted'}</Short> },
    { name: 'Model', show: ({ model }) => <Short>{model ?? '–'}</Short> },
    { name: 'Messages', isNumber: true, show: ({ messageCount }) => compact(messageCount) },
    { name: 'Tokens', isNumber: true, show: ({ tokenUsage }) => compact(tokensOf(tokenUsage)) },
    {
      name: 'Last activity',
      isNumber: true,
      show: ({ updatedAt }) => (
        <time dateTime={updatedAt} title={instant(updatedAt)}>
          {ago(updatedAt, now)}
        </time>
      ),
    },
    {
      name: 'Content',
      show: ({ sessionId, userId }) => <Read sessionId={sessionId} isOwn={userId === me} mayRead={mayRead} />,
    },
  ];
}

function Read({ sessionId, isOwn, mayRead }: { sessionId: string; isOwn: boolean; mayRead: boolean }) {
  if (!isOwn && !mayRead) return <span className={styles.when}>private</span>;
  return (
    <Link to="/sessions/$sessionId" params={{ sessionId }} search={isOwn ? {} : { of: 'organization' }}>
      {isOwn ? 'Open (yours)' : 'Read'}
    </Link>
  );
}

function Nothing({ onChoose }: { onChoose: Props['onChoose'] }) {
  const all = { computer: undefined, status: undefined, user: undefined, since: undefined, until: undefined };
  return (
    <>
      <strong>No session matches</strong>
      <Button onClick={() => onChoose(all)}>Show all</Button>
    </>
  );
}
