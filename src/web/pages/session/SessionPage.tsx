import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useSession } from '../../api/sessions.js';
import { Asked } from '../../ui/Asked.js';
import { Page } from '../../ui/Page.js';
import { Problem } from '../../api/problem.js';
import { ForeignSession } from './ForeignSession.js';
import { OwnSession } from './OwnSession.js';

export function SessionPage() {
  const { sessionId = '' } = useParams({ strict: false });
  const { of } = useSearch({ strict: false });
  // The key: nothing of one session is kept for the next.
  if (of === 'organization') return <ForeignSession key={sessionId} sessionId={sessionId} />;
  return <AskedSession key={sessionId} sessionId={sessionId} />;
}

function AskedSession({ sessionId }: { sessionId: string }) {
  const query = useSession(sessionId);
  const isUnknown = query.error instanceof Problem && [400, 404].includes(query.error.status);
  if (isUnknown) return <NoSuchSession />;
  if (!query.data) {
    return (
      <Page title="Session">
        <Asked query={query}>{() => null}</Asked>
      </Page>
    );
  }
  return <OwnSession session={query.data} />;
}

function NoSuchSession() {
  return (
    <Page title="There is no such session">
      <p>
        It was deleted, or it belongs to somebody else: a session is shown to the person who started it.{' '}
        <Link to="/sessions">To your sessions</Link>
      </p>
    </Page>
  );
}
