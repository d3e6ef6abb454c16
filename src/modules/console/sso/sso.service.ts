import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { requireSafeTransport } from '../../../auth/browser/transport.js';
import { DomainError, type ErrorCode, NotFoundError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { DoorsService, type EnteredSession, type Visitor } from '../doors.service.js';
import { DeniedByProviderError, OidcClient } from './oidc-client.js';
import { SignInTransactions } from './sign-in-transaction.js';

type Failure = 'expired' | 'denied' | 'refused' | 'forbidden' | 'busy' | 'unavailable' | 'insecure';

const FAILURES: Partial<Record<ErrorCode, Failure>> = {
  unauthenticated: 'refused',
  forbidden: 'forbidden',
  rate_limited: 'busy',
  unavailable: 'unavailable',
};

/** A sign-in at the identity provider, as two requests of a browser that follows redirections. */
@Injectable()
export class SsoService {
  private readonly logger = new Logger('SSO');

  constructor(
    private readonly oidc: OidcClient,
    private readonly doors: DoorsService,
    private readonly transactions: SignInTransactions,
    private readonly config: AppConfig,
  ) {}

  async begin(
    request: FastifyRequest,
    { cookie }: Visitor,
    to: string,
  ): Promise<{ url: string; transaction: string | null }> {
    this.requireConfigured();
    try {
      if (!this.isSafe(request)) return { url: failed(request, 'insecure'), transaction: null };
      const { url, pending } = await this.oidc.begin();
      return { url, transaction: await this.transactions.seal({ ...pending, to, previousCookie: cookie }) };
    } catch (error) {
      return { url: failed(request, this.reasonOf(error)), transaction: null };
    }
  }

  async finish(
    request: FastifyRequest,
    visitor: Visitor,
    query: Record<string, string>,
    sealed: string | null,
  ): Promise<{ url: string; opened: EnteredSession | null }> {
    this.requireConfigured();
    try {
      if (!this.isSafe(request)) return { url: failed(request, 'insecure'), opened: null };
      const transaction = sealed === null ? null : await this.transactions.open(sealed);
      // Bound to this browser: nobody can be signed in with the answer to somebody else's sign-in.
      if (!transaction || query['state'] !== transaction.state)
        return { url: failed(request, 'expired'), opened: null };
      const cookie = visitor.cookie ?? transaction.previousCookie;
      const opened = await this.doors.withIdentity(() => this.oidc.finish(query, transaction), { ...visitor, cookie });
      return { url: transaction.to, opened };
    } catch (error) {
      return { url: failed(request, this.reasonOf(error)), opened: null };
    }
  }

  private requireConfigured(): void {
    if (!this.oidc.isConfigured) throw new NotFoundError('sign-in', 'sso');
  }

  private isSafe(request: FastifyRequest): boolean {
    try {
      requireSafeTransport(request, this.config);
      return true;
    } catch {
      return false;
    }
  }

  private reasonOf(error: unknown): Failure {
    if (!(error instanceof DomainError)) throw error;
    this.logger.warn(`A sign-in was refused: ${error.detail}`);
    if (error instanceof DeniedByProviderError) return 'denied';
    const failure = FAILURES[error.code];
    if (failure === undefined) throw error;
    return failure;
  }
}

function failed({ id }: FastifyRequest, error: Failure): string {
  return `/console/sign-in?${new URLSearchParams({ error, requestId: id }).toString()}`;
}
