import { ApiProperty } from '@nestjs/swagger';
import { Optional, TextLength } from '../../common/validation/rules.js';
import {
  type ConsoleSession,
  SIGN_IN_METHODS,
  type SignInMethod,
} from '../organization/console-sessions/console-session.js';

/** What a browser signs in with: exactly one of the two. */
export class SignInRequest {
  /**
   * An API key. The session ends with it.
   * @example "apk_<43 random characters and a checksum>"
   */
  @Optional()
  @TextLength(1, 200)
  apiKey?: string;

  /**
   * The secret of a one-time link: what follows `#welcome=` in its address.
   * @example "AZgPXgAAfDuNDgpPOxwtAFzn0Yk3r4o0dXl2c2l5bXB0b21zYXJlYWxsaGVyZSEh"
   */
  @Optional()
  @TextLength(1, 200)
  link?: string;
}

/** How a browser may sign in here. */
export class SignInMethodsResponse {
  /**
   * The ways that are open: the identity provider (`GET /auth/sso`), an API key, a one-time link. Empty when browsers cannot
   * sign in over this connection; `notice` says why.
   * @example ["key", "link"]
   */
  @ApiProperty({ enum: SIGN_IN_METHODS, isArray: true })
  methods: SignInMethod[];

  /**
   * Something that whoever signs in has to know about this connection; absent when nothing is wrong with it.
   * @example "This connection is not encrypted: anybody on the way can read what you send and take over your sign-in."
   */
  notice?: string;

  /** Whether this browser came into the demo from a session of its own, to which it can go back (`POST /auth/return`). */
  canReturn?: boolean;
}

/** A browser that is signed in. */
export class ConsoleSessionResponse {
  /**
   * Id of the console session.
   * @example "01980f60-11c2-7d55-8a10-5b6c7d8e9f00"
   */
  id: string;

  /**
   * How it signed in: at the identity provider, with an API key, or with a one-time link.
   * @example "sso"
   */
  @ApiProperty({ enum: SIGN_IN_METHODS })
  method: SignInMethod;

  /**
   * When it signed in, ISO 8601.
   * @example "2026-11-15T08:00:00.000Z"
   */
  createdAt: string;

  /**
   * When it was used last, to five minutes, ISO 8601. The session ends 12 hours later.
   * @example "2026-11-15T09:55:00.000Z"
   */
  lastSeenAt: string;

  /**
   * When it ends at the latest, ISO 8601.
   * @example "2026-11-22T08:00:00.000Z"
   */
  expiresAt: string;

  /**
   * What the browser called itself.
   * @example "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
   */
  userAgent: string;

  /** Whether it is the one that asks. */
  current: boolean;
}

/** The browsers in which somebody is signed in. */
export class ConsoleSessionsResponse {
  /** The sessions that have not ended, last used first. */
  sessions: ConsoleSessionResponse[];
}

export function toConsoleSessionResponse(session: ConsoleSession, currentId: string | null): ConsoleSessionResponse {
  return {
    id: session.id,
    method: session.method,
    createdAt: session.createdAt.toISOString(),
    lastSeenAt: session.lastSeenAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    userAgent: session.userAgent,
    current: session.id === currentId,
  };
}
