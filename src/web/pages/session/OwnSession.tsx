import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useComputersById } from '../../api/computers.js';
import type { Session } from '../../api/sessions.js';
import { Failure } from '../../ui/Asked.js';
import { Page } from '../../ui/Page.js';
import { StatusWord } from '../sessions/StatusWord.js';
import { Composer, type Refusal } from './Composer.js';
import { Outbox } from './outbox.js';
import { queuedOf } from './queue.js';
import { SessionActions } from './SessionActions.js';
import { SessionFacts } from './SessionFacts.js';
import { TranscriptList } from './TranscriptList.js';
import { useOwnFeed, useSetStatus } from './use-feed.js';
import styles from './Session.module.css';

export function OwnSession({ session }: { session: Session }) {
  const { sessionId, status, title = 'New session' } = session;
  const computers = useComputersById();
  const computer = computers.data?.get(session.computerId ?? '');
  const { feed, ...state } = useOwnFeed(sessionId);
  const { outbox, outgoing, refusal } = useOutbox(sessionId);
  const { entries } = state.transcript;
  useEffect(() => outbox.forget(new Set(entries.slice(-100).map(({ id }) => id))), [outbox, outgoing, entries]);
  const queued = useMemo(() => queuedOf(entries, status, state.lastAtStart), [entries, status, state.lastAtStart]);
  const presence = { isKnown: computers.data !== undefined, computer, computers: computers.data };
  return (
    <Page title={title} isFull beside={<StatusWord status={status} />} actions={<SessionActions session={session} />}>
      <SessionFacts session={session} computer={computer} isKnown={presence.isKnown} />
      <div className={styles.body}>
        {state.problem && entries.length === 0 ? (
          <Failure error={state.problem} onRetry={() => window.location.reload()} />
        ) : (
          <TranscriptList
            {...state}
            {...{ feed, queued, outgoing }}
            isRunning={status === 'running'}
            userName="You"
            empty={<p className={styles.empty}>Nothing was said yet. Write the first message below.</p>}
          />
        )}
        {state.problem && entries.length > 0 && <p role="alert">{state.problem.message}</p>}
        <Composer {...{ session, refusal, presence }} queued={queued.size} onSend={(draft) => outbox.send(draft)} />
      </div>
    </Page>
  );
}

function useOutbox(sessionId: string) {
  const setStatus = useSetStatus(sessionId);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const outbox = useMemo(
    () =>
      new Outbox({
        sessionId,
        onSent: (status) => {
          setRefusal(null);
          setStatus(status);
        },
        onRefused: (draft, problem) => setRefusal({ draft, problem }),
      }),
    [sessionId, setStatus],
  );
  useEffect(() => {
    outbox.open();
    return () => outbox.close();
  }, [outbox]);
  return { outbox, refusal, outgoing: useSyncExternalStore(outbox.subscribe, outbox.snapshot) };
}
