import { useQuery } from '@tanstack/react-query';
import type { components } from 'openapi-types';
import { api, bodyOf } from './client.js';
import { usePaged } from './paged.js';

export type Controls = components['schemas']['ControlsResponse'];
export type ControlsChange = components['schemas']['ControlsChangeResponse'];
export type ControlsSettings = components['schemas']['EnterpriseControlsSettings'];

export function useControls() {
  return useQuery({
    queryKey: ['controls', 'now'],
    queryFn: ({ signal }) => readControls(signal),
    // What is being edited is not replaced behind the reader's back; saving finds out.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

export function readControls(signal?: AbortSignal): Promise<Controls> {
  return bodyOf(api.GET('/api/v0/organization/enterprise-controls', signal ? { signal } : {}));
}

/** A 412 when there is another revision than this one by now. */
export function saveControls(settings: ControlsSettings, revision: number): Promise<Controls> {
  return bodyOf(
    api.PUT('/api/v0/organization/enterprise-controls', {
      params: { header: { 'If-Match': `"${revision}"` } },
      body: settings,
    }),
  );
}

/** All revisions, newest first. */
export function useControlsHistory() {
  return usePaged({
    key: ['controls', 'history'],
    read: (cursor, signal) =>
      bodyOf(
        api.GET('/api/v0/organization/enterprise-controls/history', {
          params: { query: { limit: '20', cursor } },
          signal,
        }),
      ),
    rowsOf: ({ changes }) => changes,
  });
}
