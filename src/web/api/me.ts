import { useQuery } from '@tanstack/react-query';
import { api, bodyOf } from './client.js';

/** Who is signed in. */
export function useMe() {
  return useQuery({ queryKey: ['me'], queryFn: () => bodyOf(api.GET('/api/v0/me')) });
}
