import { useQuery } from '@tanstack/react-query';
import type { operations } from 'openapi-types';
import { api, bodyOf } from './client.js';

export type Me = operations['getMe']['responses'][200]['content']['application/json'];

/** Who is signed in. */
export function useMe() {
  return useQuery({ queryKey: ['me'], queryFn: () => bodyOf(api.GET('/api/v0/me')) });
}
