import { AsyncLocalStorage } from 'node:async_hooks';

/** What every log line of a request carries. */
export interface RequestContext {
  readonly requestId: string;
  /** Who is calling, once that is known: callers take turns where something is scarce. */
  caller?: string;
}

export const requestContext = new AsyncLocalStorage<RequestContext>();
