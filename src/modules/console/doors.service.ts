import { Injectable } from '@nestjs/common';
import { Authenticator } from '../../auth/authenticator.js';
import { type DomainError, ForbiddenError, UnauthenticatedError } from '../../common/errors/domain-error.js';
import type { SignInMethod } from '../organization/console-sessions/console-session.js';
import {
  ConsoleSessionsService,
  type NewConsoleSession,
  type OpenedConsoleSession,
} from '../organization/console-sessions/console-sessions.service.js';
import { LINK_MINUTES, SignInLinksService } from '../organization/console-sessions/sign-in-links.service.js';
import { ControlsService } from '../organization/controls/controls.service.js';
import { DeactivatedUserError, SignInService } from '../organization/credentials/sign-in.service.js';
import { OrganizationsService } from '../organization/organizations/organizations.service.js';
import type { AuthenticatedPerson } from './sso/oidc-client.js';

/** A browser at the door. */
export interface Visitor {
  readonly address: string;
  readonly userAgent: string;
  /** Of the session that it has already. */
  readonly cookie: string | null;
  /** Of the session that it had before it entered the demo. */
  readonly ownCookie: string | null;
}

export interface EnteredSession extends OpenedConsoleSession {
  /** The session to which the browser can go back, from the demo only. */
  readonly own: OpenedConsoleSession | null;
}

type SignedInUser = NewConsoleSession['user'];
type Proof = Pick<NewConsoleSession, 'method' | 'notAfter' | 'apiKeyId' | 'issuer' | 'subject' | 'sid'>;

const BAD_LINK = `This link is unknown, was used before, or is older than ${LINK_MINUTES} minutes.`;

/** The three ways in which a browser signs in. Refusals are limited by address, like those of other credentials. */
@Injectable()
export class DoorsService {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly sessions: ConsoleSessionsService,
    private readonly links: SignInLinksService,
    private readonly controls: ControlsService,
    private readonly signIn: SignInService,
    private readonly organizations: OrganizationsService,
  ) {}

  async withKey(apiKey: string, visitor: Visitor): Promise<EnteredSession> {
    if (!apiKey.startsWith('apk_')) throw new UnauthenticatedError(true, 'This is not an API key.');
    const caller = await this.authenticator.authenticate(apiKey, visitor.address);
    const user = { orgId: caller.orgId, id: caller.userId, email: caller.email };
    if (caller.scope !== undefined) {
      const reason = `An API key of the scope "${caller.scope}" does not open the console.`;
      return this.refuse(user, visitor, 'key', new ForbiddenError(reason));
    }
    return this.enter(user, visitor, { method: 'key', apiKeyId: caller.credential.id, notAfter: caller.expiresAt });
  }

  async withLink(secret: string, visitor: Visitor): Promise<EnteredSession> {
    const user = await this.authenticator.attempt(visitor.address, async () => {
      const found = await this.links.redeem(secret);
      if (!found) throw new UnauthenticatedError(true, BAD_LINK);
      return found;
    });
    return this.enter(user, visitor, { method: 'link', notAfter: null });
  }

  /** `authenticate`: what the identity provider says; it throws UnauthenticatedError when it refuses. */
  async withIdentity(authenticate: () => Promise<AuthenticatedPerson>, visitor: Visitor): Promise<EnteredSession> {
    const signingIn = this.authenticator.attempt(visitor.address, async () => {
      const person = await authenticate();
      const user = await this.authenticator.person(person.issuer, person.subject, person.claims);
      if (!user) throw new UnauthenticatedError(true, 'This person has no active account in a known organization.');
      return { user, person };
    });
    const { user, person } = await signingIn.catch((error: unknown) => {
      if (error instanceof DeactivatedUserError) return this.refuse(error.user, visitor, 'sso', error);
      throw error;
    });
    const { issuer, subject, sid } = person;
    return this.enter(user, visitor, { method: 'sso', issuer, subject, sid, notAfter: null });
  }

  /** From the demo to the session that the browser had before. */
  async backFromDemo({ cookie, ownCookie }: Visitor): Promise<EnteredSession> {
    const own = ownCookie === null ? null : await this.signIn.withConsoleSession(ownCookie);
    if (!own || ownCookie === null) throw new UnauthenticatedError(true, 'The session before the demo has ended.');
    if (cookie !== null) await this.endSession(cookie);
    return { session: own.session, secret: ownCookie, own: null };
  }

  /** Ends the sessions of the browser, if there are any. */
  async signOut({ cookie, ownCookie, address }: Visitor): Promise<void> {
    for (const each of [cookie, ownCookie]) {
      if (each === null) continue;
      try {
        await this.sessions.signOut(await this.authenticator.authenticateBrowser(each, address));
      } catch (error) {
        if (!(error instanceof UnauthenticatedError)) throw error;
      }
    }
  }

  private async enter(user: SignedInUser, visitor: Visitor, proof: Proof): Promise<EnteredSession> {
    const { address, userAgent } = visitor;
    try {
      await this.controls.requireAllowedAddress({ orgId: user.orgId, address });
    } catch (error) {
      if (error instanceof ForbiddenError) return this.refuse(user, visitor, proof.method, error);
      throw error;
    }
    const opened = await this.sessions.open({ ...proof, user, address, userAgent });
    return { ...opened, own: await this.leaveBehind(visitor, user) };
  }

  private async refuse(
    user: SignedInUser,
    { address, userAgent }: Visitor,
    method: SignInMethod,
    error: DomainError,
  ): Promise<never> {
    const reason = error instanceof DeactivatedUserError ? 'This user is deactivated.' : error.detail;
    await this.sessions.noteRefusal(user, { method, address, userAgent, reason });
    throw error;
  }

  /** A browser has one session: what it had before ends, unless it is of another organization and waits behind the demo. */
  private async leaveBehind({ cookie, ownCookie }: Visitor, user: SignedInUser): Promise<OpenedConsoleSession | null> {
    const isDemo = await this.isDemo(user.orgId);
    const before = isDemo && cookie !== null ? await this.signIn.withConsoleSession(cookie) : null;
    if (before && cookie !== null && !(await this.isDemo(before.user.orgId))) {
      if (ownCookie !== null) await this.endSession(ownCookie);
      return { session: before.session, secret: cookie };
    }
    if (cookie !== null) await this.endSession(cookie);
    if (ownCookie === null) return null;
    const own = isDemo ? await this.signIn.withConsoleSession(ownCookie) : null;
    if (own) return { session: own.session, secret: ownCookie };
    await this.endSession(ownCookie);
    return null;
  }

  private async isDemo(orgId: string): Promise<boolean> {
    return (await this.organizations.get(orgId)).isDemo;
  }

  private async endSession(cookie: string): Promise<void> {
    const found = await this.signIn.withConsoleSession(cookie);
    if (!found) return;
    const { session, user } = found;
    const { orgId, id: userId, email, role } = user;
    await this.sessions.signOut({
      ...{ orgId, userId, email, role },
      ...{ credential: { kind: 'console', id: session.id }, expiresAt: session.expiresAt },
    });
  }
}
