import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCookies, SESSION_COOKIE, writeCookie } from '../../auth/browser/cookies.js';
import { isEncrypted } from '../../auth/browser/transport.js';
import { Clock } from '../../common/time/clock.js';
import { AppConfig } from '../../config/app-config.js';
import type { EnteredSession, Visitor } from './doors.service.js';
import { TRANSACTION_SECONDS } from './sso/sign-in-transaction.js';

const TRANSACTION_COOKIE = 'agent_platform_sso';
/** The session that a browser had before it entered the demo. */
const OWN_SESSION_COOKIE = 'agent_platform_own_session';
const MAX_USER_AGENT = 300;

/** Reads and writes the cookies of a browser. */
@Injectable()
export class Browsers {
  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  visitor(request: FastifyRequest): Visitor {
    const userAgent = (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT);
    const cookie = this.read(request, SESSION_COOKIE);
    return { address: request.ip, userAgent, cookie, ownCookie: this.read(request, OWN_SESSION_COOKIE) };
  }

  keepSession(reply: FastifyReply, { session, secret, own }: EnteredSession): void {
    this.write(reply, SESSION_COOKIE, secret, 'Strict', this.secondsUntil(session.expiresAt));
    if (own) this.write(reply, OWN_SESSION_COOKIE, own.secret, 'Strict', this.secondsUntil(own.session.expiresAt));
    else this.forgetOwnSession(reply);
  }

  /** Also empties what the pages of the console have kept. */
  forgetSession(reply: FastifyReply): void {
    this.write(reply, SESSION_COOKIE, '', 'Strict', 0);
    this.forgetOwnSession(reply);
    reply.header('Clear-Site-Data', '"cache", "storage"');
  }

  transaction(request: FastifyRequest): string | null {
    return this.read(request, TRANSACTION_COOKIE);
  }

  /** `Lax`: it has to come along when the identity provider sends the browser back. */
  keepTransaction(reply: FastifyReply, sealed: string): void {
    this.write(reply, TRANSACTION_COOKIE, sealed, 'Lax', TRANSACTION_SECONDS);
  }

  forgetTransaction(reply: FastifyReply): void {
    this.write(reply, TRANSACTION_COOKIE, '', 'Lax', 0);
  }

  private forgetOwnSession(reply: FastifyReply): void {
    if (this.read(reply.request, OWN_SESSION_COOKIE) !== null) this.write(reply, OWN_SESSION_COOKIE, '', 'Strict', 0);
  }

  private secondsUntil(instant: Date): number {
    return (instant.getTime() - this.clock.now().getTime()) / 1000;
  }

  private read(request: FastifyRequest, name: string): string | null {
    const [value, another] = readCookies(request, name, isEncrypted(request, this.config));
    return value === undefined || another !== undefined ? null : value;
  }

  private write(
    reply: FastifyReply,
    name: string,
    value: string,
    sameSite: 'Strict' | 'Lax',
    maxAgeSeconds: number,
  ): void {
    writeCookie(reply, name, value, {
      isEncrypted: isEncrypted(reply.request, this.config),
      sameSite,
      maxAgeSeconds,
    });
  }
}
