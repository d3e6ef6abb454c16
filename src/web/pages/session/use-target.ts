import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { say } from '../../ui/Toasts.js';
import type { TranscriptFeed } from './transcript-feed.js';

/** The message that the address names (`#m-<id>`): it is loaded, shown and marked. */
export function useTarget(feed: TranscriptFeed, show: (messageId: string) => void): string | null {
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const [, wanted = null] = /^m-([0-9a-f-]{36})$/i.exec(hash) ?? [];
  const [found, setFound] = useState<string | null>(null);
  const latest = useRef(show);
  useEffect(() => {
    latest.current = show;
  });
  useEffect(() => {
    if (wanted === null) return;
    let isCurrent = true;
    void feed.loadThrough(wanted).then((isThere) => {
      if (!isCurrent) return;
      if (isThere) setFound(wanted);
      else say('The message of this link is not in this session (any more).', { isProblem: true });
    });
    return () => {
      isCurrent = false;
    };
  }, [feed, wanted]);
  useEffect(() => {
    if (found !== null) latest.current(found);
  }, [found]);
  return wanted;
}
