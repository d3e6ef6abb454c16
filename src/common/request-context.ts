import { AsyncLocalStorage } from 'node:async_hooks';

export interface RequestContext {
  readonly requestId: string;
  /** Set once the caller is known; used for fair queues. */
  caller?: string;
}

export const requestContext = new AsyncLocalStorage<RequestContext>();
