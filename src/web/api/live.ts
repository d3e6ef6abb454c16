import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { followWhileVisible } from './visible.js';
import { setSignedOut } from '../shell/sign-in/signed-out.js';
import { followStream } from './sse.js';

/** What `GET /api/v0/events` tells, by name. */
export interface LiveEvents {
  'session.changed': { sessionId: string; status: string; computerId: string; title?: string };
  'session.deleted': { sessionId: string };
  'computer.changed': { computerId: string };
  'computer.deleted': { computerId: string };
  'keys.changed': Record<string, never>;
  'telemetry.seen': { agent: string };
}

type Listener = (name: keyof LiveEvents, data: unknown) => void;
const listeners = new Set<Listener>();

/** The queries that an event makes stale, by the first part of their keys. */
const STALE: Readonly<Record<keyof LiveEvents, readonly string[]>> = {
  'session.changed': ['sessions'],
  'session.deleted': ['sessions'],
  'computer.changed': ['computers'],
  'computer.deleted': ['computers'],
  'keys.changed': ['api-keys'],
  'telemetry.seen': ['sources', 'today'],
};

/** The one stream of a tab: refreshes what it tells about, and passes events on to `useLive`. Used once, by the shell. */
export function useLiveStream(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const refresh = (keys: readonly string[]) => {
      for (const key of keys) void queries.invalidateQueries({ queryKey: [key] });
    };
    const onEvent = ({ event, data }: { event: string; data: string }) => {
      if (event === 'resync') refresh(Object.values(STALE).flat());
      if (!(event in STALE)) return;
      const name = event as keyof LiveEvents;
      refresh(STALE[name]);
      const told: unknown = JSON.parse(data);
      for (const listener of listeners) listener(name, told);
    };
    return followWhileVisible((signal, lastId) =>
      followStream(
        '/api/v0/events',
        {
          onEvent: (event) => {
            if (event.id) lastId.current = event.id;
            onEvent(event);
          },
          shouldStop: (status) => {
            if (status === 401) setSignedOut(true);
            return status === 401 || status === 403;
          },
        },
        signal,
        lastId.current,
      ),
    );
  }, [queries]);
}

/** Hears one kind of event while the component is shown. */
export function useLive<Name extends keyof LiveEvents>(name: Name, onEvent: (data: LiveEvents[Name]) => void): void {
  const latest = useRef(onEvent);
  useEffect(() => {
    latest.current = onEvent;
  });
  useEffect(() => {
    const listener: Listener = (told, data) => {
      if (told === name) latest.current(data as LiveEvents[Name]);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [name]);
}
