import { DAY_MS, HOUR_MS } from '../../../common/time/durations.js';

/** How somebody signed in: through the identity provider, with an API key, or with a one-time link. */
export const SIGN_IN_METHODS = ['sso', 'key', 'link'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

export const MAX_IDLE_MS = 12 * HOUR_MS;
export const MAX_AGE_MS = 7 * DAY_MS;

/** A browser that is signed in: one row of "console_sessions". The hash of its cookie, never the cookie. */
export interface ConsoleSession {
  orgId: string;
  id: string;
  tokenHash: Buffer;
  userId: string;
  method: SignInMethod;
  /** The session ends with this key; null unless it was opened with one. */
  apiKeyId: string | null;
  /** Who signed in at the identity provider, and the provider's own session; null unless it was opened there. */
  issuer: string | null;
  subject: string | null;
  sid: string | null;
  createdAt: Date;
  /** To a few minutes. */
  lastSeenAt: Date;
  expiresAt: Date;
  userAgent: string;
}

/** When the session ends unless it is used again. */
export function endOf({ lastSeenAt, expiresAt }: Pick<ConsoleSession, 'lastSeenAt' | 'expiresAt'>): Date {
  return new Date(Math.min(expiresAt.getTime(), lastSeenAt.getTime() + MAX_IDLE_MS));
}
