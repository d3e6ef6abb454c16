import { Link } from '@tanstack/react-router';
import { Problem } from '../../api/problem.js';
import { Failure } from '../../ui/Asked.js';
import { Page } from '../../ui/Page.js';
import { TranscriptList } from './TranscriptList.js';
import { useForeignFeed } from './use-feed.js';
import styles from './Session.module.css';

/** Somebody else's session, for owners where the organization allows it. */
export function ForeignSession({ sessionId }: { sessionId: string }) {
  const { feed, ...state } = useForeignFeed(sessionId);
  const { problem } = state;
  if (problem) {
    return (
      <Page title="Session of somebody else">
        <Failure error={problem} onRetry={() => window.location.reload()} />
        {problem instanceof Problem && problem.status === 403 && (
          <p>
            An owner decides in{' '}
            <Link to="/settings/$section" params={{ section: 'organization' }}>
              Settings
            </Link>{' '}
            whether owners may read the sessions of others.
          </p>
        )}
      </Page>
    );
  }
  return (
    <Page title="Session of somebody else" isFull>
      <p className={styles.notice} role="note">
        You read what somebody else wrote. Each look is an entry in the audit log, with your name. Nothing can be sent
        from here.{' '}
        <Link to="/sessions" search={{ of: 'organization' }}>
          Back to the list
        </Link>
      </p>
      <div className={styles.body}>
        <TranscriptList
          {...state}
          feed={feed}
          isRunning={false}
          userName="User"
          empty={<p className={styles.empty}>Nothing was said in this session.</p>}
        />
      </div>
    </Page>
  );
}
