import { useQuery } from '@tanstack/react-query';
import { api, bodyOf } from './client.js';

/** One person, as far as the caller may see them. */
export function useUser(userId: string) {
  return useQuery({
    queryKey: ['users', userId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v0/organization/users/{userId}', { params: { path: { userId } }, signal })),
    staleTime: 300_000,
  });
}
