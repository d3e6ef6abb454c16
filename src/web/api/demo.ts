import { useQuery } from '@tanstack/react-query';
import { useAction } from './action.js';
import type { Answer } from './answer.js';
import { api, bodyOf } from './client.js';

export type Demo = Answer<'getDemo'>;

/** For owners; from inside the demo as well. */
export function useDemo({ isEnabled = true, everyMs = 1_000 } = {}) {
  return useQuery({
    queryKey: ['demo'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v0/demo', { signal })),
    enabled: isEnabled,
    refetchInterval: ({ state }) => (state.data?.state === 'filling' ? everyMs : false),
  });
}

export function useFillDemo() {
  return useAction({ run: () => bodyOf(api.POST('/api/v0/demo')), changes: ['demo'] });
}

/**
 * The whole console begins anew there: nothing of one organization is shown in the other. While older weeks are missing,
 * nothing is compared with them.
 */
export function useEnterDemo() {
  return useAction({
    run: async (_input: { isWhole: boolean }) => {
      const { link } = await bodyOf(api.POST('/api/v0/demo/link'));
      const secret = new URL(link).hash.replace('#welcome=', '');
      return bodyOf(api.POST('/auth/session', { body: { link: secret } }));
    },
    onDone: (_session, { isWhole }) => window.location.assign(isWhole ? '/console/' : '/console/?cmp=none'),
  });
}

export function useLeaveDemo() {
  return useAction({
    run: () => bodyOf(api.POST('/auth/return')),
    onDone: () => window.location.assign('/console/welcome'),
  });
}

/** From the own organization. */
export function useRemoveDemo() {
  return useAction({
    run: () => bodyOf(api.DELETE('/api/v0/demo')),
    changes: ['demo'],
    done: 'The demo is removed, with everything in it.',
  });
}

/** From inside: back first. */
export function useLeaveAndRemoveDemo() {
  return useAction({
    run: async () => {
      await bodyOf(api.POST('/auth/return'));
      await bodyOf(api.DELETE('/api/v0/demo'));
    },
    onDone: () => window.location.assign('/console/welcome'),
  });
}
