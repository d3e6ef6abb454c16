import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { readOfOrganization, readOwn } from '../../api/messages.js';
import type { Session, SessionStatus } from '../../api/sessions.js';
import { useSignedOut } from '../../shell/sign-in/signed-out.js';
import { TranscriptFeed } from './transcript-feed.js';

/** The transcript of one's own session, as it happens. */
export function useOwnFeed(sessionId: string) {
  const setStatus = useSetStatus(sessionId);
  const feed = useMemo(
    () => new TranscriptFeed({ sessionId, read: readOwn, onStatus: setStatus }),
    [sessionId, setStatus],
  );
  return useFeed(feed);
}

/** Of somebody else's; it is read, not followed. */
export function useForeignFeed(sessionId: string) {
  const feed = useMemo(() => new TranscriptFeed({ sessionId, read: readOfOrganization }), [sessionId]);
  return useFeed(feed);
}

function useFeed(feed: TranscriptFeed) {
  const isSignedOut = useSignedOut();
  useEffect(() => (isSignedOut ? undefined : feed.start()), [feed, isSignedOut]);
  return { feed, ...useSyncExternalStore(feed.subscribe, feed.snapshot) };
}

/** The stream of the session tells it before the list is read again. */
export function useSetStatus(sessionId: string): (status: SessionStatus) => void {
  const queries = useQueryClient();
  return useCallback(
    (status) => {
      const key = ['sessions', 'one', sessionId];
      queries.setQueryData<Session>(key, (session) => session && { ...session, status });
      void queries.invalidateQueries({ queryKey: key });
    },
    [queries, sessionId],
  );
}
