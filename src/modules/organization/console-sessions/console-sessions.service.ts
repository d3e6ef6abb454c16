import { Injectable } from '@nestjs/common';
import { hashOrganizationSecret, newOrganizationSecret } from '../../../common/access/organization-secret.js';
import { credentialName, type Principal } from '../../../common/access/principal.js';
import { isForeignKeyViolation } from '../../../common/errors/database-errors.js';
import { NotFoundError, UnauthenticatedError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/new-id.js';
import { Clock } from '../../../common/time/clock.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import type { UserEntity } from '../users/user.entity.js';
import { UsersRepository } from '../users/users.repository.js';
import { type ConsoleSession, endOf, MAX_AGE_MS } from './console-session.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';

/** One more ends the one that was used longest ago. */
const MAX_SESSIONS_PER_USER = 100;
const MAX_USER_AGENT = 300;

type SignedInUser = Pick<UserEntity, 'orgId' | 'id' | 'email'>;

export interface NewConsoleSession extends Pick<ConsoleSession, 'method' | 'userAgent'>, Partial<ProofOfSignIn> {
  user: SignedInUser;
  /** The end of what the user signed in with; null: it has none. */
  notAfter: Date | null;
  address: string;
}

type ProofOfSignIn = Pick<ConsoleSession, 'apiKeyId' | 'issuer' | 'subject' | 'sid'>;

export interface RefusedSignIn extends Pick<NewConsoleSession, 'method' | 'address' | 'userAgent'> {
  reason: string;
}

/** The only moment at which the value of the cookie is known. */
export interface OpenedConsoleSession {
  session: ConsoleSession;
  secret: string;
}

/** Browsers that are signed in. A session has the current role of its user, and ends with what opened it. */
@Injectable()
export class ConsoleSessionsService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly sessions: ConsoleSessionsRepository,
    private readonly users: UsersRepository,
    private readonly auditLog: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** Throws UnauthenticatedError when the user or the key has gone meanwhile. */
  async open(input: NewConsoleSession): Promise<OpenedConsoleSession> {
    const { orgId } = input.user;
    const secret = newOrganizationSecret(orgId);
    const session = this.newSession(input, secret);
    try {
      await this.db.transaction(orgId, (tx) => this.insert(tx, session, input));
    } catch (error) {
      if (isForeignKeyViolation(error)) throw new UnauthenticatedError(true, 'The API key was revoked.');
      throw error;
    }
    return { session, secret };
  }

  /** Own sessions that have not ended, last used first. */
  async list(caller: Principal): Promise<ConsoleSession[]> {
    const now = this.clock.now();
    const sessions = await this.sessions.listOfUser(caller.orgId, caller.userId);
    return sessions.filter((session) => endOf(session) > now);
  }

  async end(caller: Principal, sessionId: string): Promise<void> {
    if (await this.delete(caller, sessionId, 'console.session_ended')) return;
    throw new NotFoundError('console session', sessionId);
  }

  /** Ends the session of this browser, if it has not ended yet. */
  async signOut(caller: Principal): Promise<void> {
    await this.delete(caller, caller.credential.id, 'console.signed_out');
  }

  /** Ends all sessions of the caller but the one with which they ask. */
  async endOthers(caller: Principal): Promise<void> {
    const { orgId, userId, credential } = caller;
    await this.db.transaction(orgId, async (tx) => {
      const kept = credential.kind === 'console' ? credential.id : null;
      const ended = await this.sessions.deleteOthers(tx, orgId, userId, kept);
      for (const session of ended) this.noteEnd(tx, caller, session, 'console.session_ended');
    });
  }

  /** For a user who is known and yet may not come in. */
  async noteRefusal({ orgId, id: userId, email }: SignedInUser, after: RefusedSignIn): Promise<void> {
    await this.db.transaction(orgId, (tx) => {
      const change = { action: 'console.sign_in_refused', target: userId, after };
      this.auditLog.record(tx, orgId, { userId, email }, change);
      return Promise.resolve();
    });
  }

  private newSession(input: NewConsoleSession, secret: string): ConsoleSession {
    const { user, method, apiKeyId = null, issuer = null, subject = null, sid = null } = input;
    const now = this.clock.now();
    const latestMs = now.getTime() + MAX_AGE_MS;
    return {
      ...{ orgId: user.orgId, id: newId(), tokenHash: hashOrganizationSecret(secret), userId: user.id },
      ...{ method, apiKeyId, issuer, subject, sid, createdAt: now, lastSeenAt: now },
      expiresAt: new Date(Math.min(latestMs, input.notAfter?.getTime() ?? latestMs)),
      userAgent: input.userAgent.slice(0, MAX_USER_AGENT).toWellFormed(),
    };
  }

  private async insert(tx: SqlTransaction, session: ConsoleSession, { address }: NewConsoleSession): Promise<void> {
    const { orgId, id, userId, method, userAgent } = session;
    // Locked: a deactivation that is under way finds the session, or is seen here.
    const user = await this.users.findForUpdate(tx, orgId, userId);
    if (!user || user.deactivatedAt) throw new UnauthenticatedError(true, 'This user is deactivated.');
    await this.sessions.insert(tx, session);
    const actor = { userId, email: user.email };
    for (const ended of await this.sessions.deleteOldest(tx, orgId, userId, MAX_SESSIONS_PER_USER)) {
      this.noteEnd(tx, actor, ended, 'console.session_ended');
    }
    const after = { method, address, userAgent };
    this.auditLog.record(tx, orgId, actor, { action: 'console.signed_in', target: id, after });
  }

  private delete(caller: Principal, sessionId: string, action: string): Promise<boolean> {
    return this.db.transaction(caller.orgId, async (tx) => {
      const session = await this.sessions.delete(tx, caller.orgId, caller.userId, sessionId);
      if (session) this.noteEnd(tx, caller, session, action);
      return session !== null;
    });
  }

  private noteEnd(
    tx: SqlTransaction,
    actor: Pick<Principal, 'userId' | 'email'>,
    { orgId, id, userId, method, userAgent }: ConsoleSession,
    action: string,
  ): void {
    this.auditLog.record(tx, orgId, actor, { action, target: id, before: { method, userAgent } });
    const credentialId = credentialName({ kind: 'console', id });
    tx.notify('credentials_changed', { orgId, userId, credentialId });
  }
}
