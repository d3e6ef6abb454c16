import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type SearchHit, useSearch } from '../../api/sessions.js';
import { ago, instant } from '../../format.js';
import { Asked } from '../../ui/Asked.js';
import { Card } from '../../ui/Card.js';
import { LoadMore } from '../../ui/LoadMore.js';
import { partsOf } from './snippet.js';
import styles from './Sessions.module.css';

const SPEAKERS: Readonly<Record<SearchHit['role'], string>> = {
  user: 'You',
  assistant: 'Agent',
  tool: 'Tool',
  system: 'Note',
};
/** The service looks for about a second at a time: it goes on by itself until there is something to read. */
const ENOUGH = 10;

export function SearchResults({ words }: { words: string }) {
  const query = useSearch(words);
  const { data } = query;
  useEffect(() => {
    if (data?.hasMore && !data.isLoadingMore && data.rows.length < ENOUGH) data.more();
  }, [data]);
  return (
    <Card title={`Messages with “${words}”`}>
      <Asked query={query} empty={({ rows, hasMore }) => (rows.length === 0 && !hasMore ? <Nothing /> : null)}>
        {(list) => (
          <>
            <ul className={styles.hits}>
              {list.rows.map((hit) => (
                <Hit key={hit.messageId} hit={hit} />
              ))}
            </ul>
            {list.rows.length === 0 && <p role="status">Looking …</p>}
            <LoadMore list={list} />
          </>
        )}
      </Asked>
    </Card>
  );
}

function Hit({ hit: { sessionId, messageId, title, role, createdAt, snippet } }: { hit: SearchHit }) {
  const at = new Date(createdAt).toISOString();
  return (
    <li>
      <Link to="/sessions/$sessionId" params={{ sessionId }} hash={`m-${messageId}`} className={styles.title}>
        {title ?? 'New session'}
      </Link>
      <span className={styles.when}>
        {SPEAKERS[role]},{' '}
        <time dateTime={at} title={instant(at)}>
          {ago(at, Date.now())}
        </time>
      </span>
      <p dir="auto">{partsOf(snippet).map(({ text, isFound }, i) => (isFound ? <mark key={i}>{text}</mark> : text))}</p>
    </li>
  );
}

function Nothing() {
  return (
    <>
      <strong>Nothing found</strong>
      <p>
        All words have to occur in one message of yours or of an agent. Put quotes around words that stand together,
        “or” between alternatives, and a minus before what must not occur.
      </p>
    </>
  );
}
