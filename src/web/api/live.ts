import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { setSignedOut, useSignedOut } from '../shell/sign-in/signed-out.js';
import { followOncePerBrowser } from './once-per-browser.js';
import { followStream } from './sse.js';
import type { LastId } from './visible.js';

/** What `GET /api/v0/events` tells, by name. */
export interface LiveEvents {
  'session.changed': { sessionId: string; status: string; computerId: string; title?: string };
  'session.deleted': { sessionId: string };
  'computer.changed': { computerId: string };
  'computer.deleted': { computerId: string };
  'keys.changed': Record<string, never>;
  'telemetry.seen': { agent: string };
}

type Told = {
  readonly [Name in keyof LiveEvents]: { readonly name: Name; readonly data: LiveEvents[Name] };
}[keyof LiveEvents];
/** `resync`: events may have been missed. `signed-out`: the credential behind this browser's session has ended. */
type News = Told | { readonly name: 'resync' } | { readonly name: 'signed-out' };

const listeners = new Set<(told: Told) => void>();

/** The queries that an event makes stale, by the first part of their keys. */
const STALE: Readonly<Record<keyof LiveEvents, readonly string[]>> = {
  'session.changed': ['sessions'],
  'session.deleted': ['sessions'],
  'computer.changed': ['computers'],
  'computer.deleted': ['computers'],
  'keys.changed': ['api-keys'],
  'telemetry.seen': ['sources', 'today'],
};

/**
 * The one stream of this browser, whose events one tab passes on to all: refreshes what it tells about, and tells `useLive`.
 * Used once, by the shell.
 */
export function useLiveStream(): void {
  const queries = useQueryClient();
  const isSignedOut = useSignedOut();
  useEffect(() => {
    if (isSignedOut) return;
    const tabs = new BroadcastChannel('live-events');
    const hear = (news: News) => {
      if (news.name === 'signed-out') return setSignedOut(true);
      const stale = news.name === 'resync' ? Object.values(STALE).flat() : STALE[news.name];
      for (const key of stale) void queries.invalidateQueries({ queryKey: [key] });
      if (news.name !== 'resync') for (const listener of listeners) listener(news);
    };
    const tellAll = (news: News) => {
      hear(news);
      tabs.postMessage(news);
    };
    tabs.onmessage = ({ data }: MessageEvent<News>) => hear(data);
    const end = followOncePerBrowser((signal, lastId) => follow(signal, lastId, tellAll));
    return () => {
      end();
      tabs.close();
    };
  }, [queries, isSignedOut]);
}

function follow(signal: AbortSignal, lastId: LastId, tell: (news: News) => void): Promise<void> {
  return followStream(
    '/api/v0/events',
    {
      onEvent: ({ id, event, data }) => {
        if (id) lastId.current = id;
        if (event === 'resync') tell({ name: 'resync' });
        else if (event in STALE) tell({ name: event, data: JSON.parse(data) as unknown } as Told);
      },
      shouldStop: (status) => {
        if (status === 401) tell({ name: 'signed-out' });
        return status === 401 || status === 403;
      },
    },
    signal,
    lastId.current,
  );
}

/** Hears one kind of event while the component is shown. */
export function useLive<Name extends keyof LiveEvents>(name: Name, onEvent: (data: LiveEvents[Name]) => void): void {
  const latest = useRef(onEvent);
  useEffect(() => {
    latest.current = onEvent;
  });
  useEffect(() => {
    const listener = (told: Told) => {
      if (told.name === name) latest.current(told.data as LiveEvents[Name]);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [name]);
}
