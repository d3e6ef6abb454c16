import { Link } from '@tanstack/react-router';
import { type Presence, useComputersById } from '../../api/computers.js';
import { type Session, useSessions } from '../../api/sessions.js';
import { ago, compact, instant } from '../../format.js';
import { Asked } from '../../ui/Asked.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import type { Column } from '../../ui/column.js';
import { DataTable } from '../../ui/DataTable.js';
import { LoadMore } from '../../ui/LoadMore.js';
import { Filters } from './Filters.js';
import type { SessionsSearch } from './search.js';
import { Short } from './Short.js';
import { StatusWord } from './StatusWord.js';
import styles from './Sessions.module.css';

interface Props {
  readonly search: SessionsSearch;
  readonly onChoose: (change: SessionsSearch) => void;
  readonly onNew: () => void;
}

export function OwnSessions({ search, onChoose, onNew }: Props) {
  const { computer, status } = search;
  const filter = { ...(computer ? { computerId: computer } : {}), ...(status ? { status } : {}) };
  const query = useSessions(filter);
  const computers = useComputersById().data;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Card title="Your sessions" actions={<Filters {...{ search, onChoose }} />}>
      <Asked
        query={query}
        empty={({ rows }) =>
          rows.length > 0 ? null : isFiltered ? <NothingMatches onChoose={onChoose} /> : <NoSessions onNew={onNew} />
        }
      >
        {(list) => (
          <>
            <DataTable
              caption="Your sessions"
              columns={columnsWith(computers)}
              rows={list.rows}
              keyOf={({ sessionId }) => sessionId}
            />
            <LoadMore list={list} />
          </>
        )}
      </Asked>
    </Card>
  );
}

function columnsWith(computers: ReadonlyMap<string, Presence> | undefined): Column<Session>[] {
  const now = Date.now();
  return [
    {
      name: 'Title',
      show: ({ sessionId, title }) => (
        <Link to="/sessions/$sessionId" params={{ sessionId }} className={styles.title}>
          {title ?? 'New session'}
        </Link>
      ),
    },
    { name: 'Status', show: ({ status }) => <StatusWord status={status} /> },
    {
      name: 'Computer',
      show: ({ computerId }) => computers && <Short>{computers.get(computerId ?? '')?.name ?? 'deleted'}</Short>,
    },
    { name: 'Model', show: ({ sessionSettings }) => <Short>{sessionSettings?.model ?? '–'}</Short> },
    { name: 'Messages', isNumber: true, show: ({ messageCount }) => compact(messageCount) },
    {
      name: 'Tokens',
      isNumber: true,
      show: ({ sessionSettings }) => compact(tokensOf(sessionSettings?.tokenUsage)),
    },
    {
      name: 'Last activity',
      isNumber: true,
      show: ({ updatedAt }) => {
        const at = new Date(updatedAt).toISOString();
        return (
          <time dateTime={at} title={instant(at)}>
            {ago(at, now)}
          </time>
        );
      },
    },
  ];
}

/** What went in and came out; input that was read from the cache is part of it. */
export function tokensOf(usage: { inputTokens: number; outputTokens: number } | undefined): number {
  return usage ? usage.inputTokens + usage.outputTokens : 0;
}

function NoSessions({ onNew }: { onNew: () => void }) {
  return (
    <>
      <strong>You have no sessions yet</strong>
      <p>A session is a conversation with the agent on one of your computers. You can follow it from here, live.</p>
      <Button onClick={onNew}>Start the first one</Button>
    </>
  );
}

function NothingMatches({ onChoose }: { onChoose: Props['onChoose'] }) {
  return (
    <>
      <strong>No session matches</strong>
      <Button onClick={() => onChoose({ computer: undefined, status: undefined })}>Show all</Button>
    </>
  );
}
