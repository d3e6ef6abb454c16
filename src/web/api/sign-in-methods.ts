import { useQuery } from '@tanstack/react-query';
import { api, bodyOf } from './client.js';

/** How a browser may sign in here, and whether it can go back from the demo. */
export function useSignInMethods() {
  return useQuery({ queryKey: ['sign-in-methods'], queryFn: () => bodyOf(api.GET('/auth/methods')) });
}
