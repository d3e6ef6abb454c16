import { useQuery } from '@tanstack/react-query';
import type { Answer } from './answer.js';
import { api, bodyOf } from './client.js';

export type Me = Answer<'getMe'>;

/** Who is signed in. */
export function useMe() {
  return useQuery({ queryKey: ['me'], queryFn: () => bodyOf(api.GET('/api/v0/me')) });
}
