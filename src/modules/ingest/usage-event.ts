import type { NameKind } from './event-codes.js';

/** Stored once; events refer to it by id. */
export interface EventName {
  readonly kind: NameKind;
  readonly name: string;
}

/** A valid event, before its user, client and names are resolved to ids. */
export interface UsageEvent {
  readonly id: string;
  readonly kind: number;
  /** ISO 8601 with milliseconds, UTC. */
  readonly at: string;
  /** null: the caller. */
  readonly user: { readonly id: string } | { readonly emailKey: string } | null;
  readonly sessionKey: string | null;
  /** null: the client in which the session was first seen. */
  readonly client: number | null;
  readonly autonomy: number | null;
  readonly tier: number | null;
  readonly name: EventName | null;
  readonly detail: EventName | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  /** Part of `cacheWriteTokens`; null: not known. */
  readonly cacheWrite1hTokens: number | null;
  /** Part of the output; only sessions count it. */
  readonly thinkingTokens: number | null;
  readonly billableTokens: number | null;
  /** What the agent says the call cost, in pico-dollars. */
  readonly reportedCost: number | null;
  /** Whether it stands for several calls, whose sizes are not known. */
  readonly isSum: boolean;
}

/** A row of `events`, without the organization. */
export interface EventRow extends Omit<UsageEvent, 'user' | 'client' | 'name' | 'detail'> {
  readonly userId: string;
  readonly client: number;
  readonly nameId: number | null;
  readonly detailId: number | null;
}

export function dayOf(event: { readonly at: string }): string {
  return event.at.slice(0, 10);
}
