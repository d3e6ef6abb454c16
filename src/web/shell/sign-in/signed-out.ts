import { useSyncExternalStore } from 'react';

/** Whether the service has answered 401 since the last sign-in: then the page asks for one, wherever it is. */
let isSignedOut = false;
const followers = new Set<() => void>();

export function setSignedOut(next: boolean): void {
  if (next === isSignedOut) return;
  isSignedOut = next;
  for (const follow of followers) follow();
}

function follow(follower: () => void): () => void {
  followers.add(follower);
  return () => followers.delete(follower);
}

export function useSignedOut(): boolean {
  return useSyncExternalStore(follow, () => isSignedOut);
}
