import { Injectable } from '@nestjs/common';
import { hashOrganizationSecret, organizationOf } from '../../../common/access/organization-secret.js';
import type { Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ConflictError, UnauthenticatedError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { startOfHour } from '../../../common/time/durations.js';
import { isEmailAddress } from '../../../common/validation/email-address.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { API_KEY_SCOPES, ApiKeyEntity } from '../api-keys/api-key.entity.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { hashApiKey } from '../api-keys/api-keys.service.js';
import { ComputerTokensRepository, hashToken } from '../computer-tokens/computer-tokens.repository.js';
import { type ConsoleSession, endOf } from '../console-sessions/console-session.js';
import { ConsoleSessionsRepository } from '../console-sessions/console-sessions.repository.js';
import { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { type TeamClaim, TeamClaimsService } from '../teams/team-claims.service.js';
import { UserEntity } from '../users/user.entity.js';
import { UsersRepository } from '../users/users.repository.js';
import { UsersService } from '../users/users.service.js';

const NO_ADDRESS = 'The token has no usable e-mail address, which a first sign-in needs.';
const NOT_VOUCHED_FOR =
  'The identity provider does not vouch for the e-mail address of this token (email_verified), which a first sign-in needs.';

/** How precisely it is known when a console session was used last. */
const SEEN_TO_MS = 5 * 60_000;

/** From the claims of a verified SSO token. */
export interface SsoIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  emailVerified: boolean;
  role: Role | null;
  firstName: string;
  lastName: string;
  /** null: the token names no team. */
  team: TeamClaim | null;
}

/** Answered like any other refusal, but says who it is about. */
export class DeactivatedUserError extends UnauthenticatedError {
  constructor(readonly user: UserEntity) {
    super(true);
  }
}

/** Finds the user behind a credential. Returns null when it is invalid; throws UnauthenticatedError where the caller may know why. */
@Injectable()
export class SignInService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly apiKeys: ApiKeysRepository,
    private readonly computerTokens: ComputerTokensRepository,
    private readonly consoleSessions: ConsoleSessionsRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly users: UsersRepository,
    private readonly usersService: UsersService,
    private readonly teamClaims: TeamClaimsService,
    private readonly clock: Clock,
  ) {}

  async withApiKey(key: string): Promise<{ apiKey: ApiKeyEntity; user: UserEntity } | null> {
    const apiKey = await this.apiKeys.findByHash(API_KEY_SCOPES.map((scope) => hashApiKey(key, scope)));
    if (!apiKey || (apiKey.expiresAt && apiKey.expiresAt <= this.clock.now())) return null;
    const user = await this.users.findById(apiKey.orgId, apiKey.userId);
    if (!user || user.deactivatedAt) return null;
    await this.noteUse(user, apiKey);
    return { apiKey, user };
  }

  /** A computer token acts for the user who registered the computer. */
  async withComputerToken(token: string): Promise<{ id: string; computerId: string; user: UserEntity } | null> {
    const found = await this.computerTokens.findByHash(hashToken(token));
    const user = found && (await this.users.findById(found.orgId, found.userId));
    if (!user || user.deactivatedAt) return null;
    await this.noteUse(user, null);
    return { id: found.id, computerId: found.computerId, user };
  }

  /** `secret`: the value of a browser's cookie. */
  async withConsoleSession(secret: string): Promise<{ session: ConsoleSession; user: UserEntity } | null> {
    const orgId = organizationOf(secret);
    const session = orgId && (await this.consoleSessions.findByHash(orgId, hashOrganizationSecret(secret)));
    if (!session || endOf(session) <= this.clock.now()) return null;
    const user = await this.users.findById(session.orgId, session.userId);
    if (!user || user.deactivatedAt) return null;
    await this.noteUse(user, null);
    return { session: await this.seen(session), user };
  }

  /** `organization`: id or external id, never of the demo. A first token adds the user, or links an existing one by a verified address. */
  async withSso(organization: string, identity: SsoIdentity): Promise<UserEntity | null> {
    const org = await this.organizations.findByIdOrExternalId(organization);
    if (!org || org.isDemo) return null;
    const user =
      (await this.users.findByIdentity(org.id, identity.issuer, identity.subject)) ??
      (await this.firstSignIn(org.id, identity));
    if (!user) return null;
    if (user.deactivatedAt) throw new DeactivatedUserError(user);
    await this.noteUse(user, null);
    if (identity.team) await this.teamClaims.follow(user, identity.team);
    return user;
  }

  /** Whether the user is still active and has the same role, and the key, token or console session still exists. */
  async isCurrent({ orgId, userId, role, credential }: Principal): Promise<boolean> {
    const user = await this.users.findById(orgId, userId);
    if (!user || user.deactivatedAt || user.role !== role) return false;
    const { kind, id } = credential;
    if (kind === 'key') return (await this.apiKeys.findById(orgId, id)) !== null;
    if (kind === 'console') {
      const session = await this.consoleSessions.findById(orgId, id);
      return session !== null && endOf(session) > this.clock.now();
    }
    return kind !== 'token' || (await this.computerTokens.findById(orgId, id)) !== null;
  }

  /** Needs a verified address even to add a user: else its owner could later be linked to a stranger's account. */
  private async firstSignIn(orgId: string, identity: SsoIdentity): Promise<UserEntity | null> {
    const { email, issuer, subject, firstName, lastName } = identity;
    if (email === null || !isEmailAddress(email)) throw new UnauthenticatedError(true, NO_ADDRESS);
    if (!identity.emailVerified) throw new UnauthenticatedError(true, NOT_VOUCHED_FOR);
    const known = await this.users.findByEmail(orgId, email);
    if (known?.deactivatedAt) return null;
    try {
      return await this.db.transaction(orgId, async (tx) => {
        const role = identity.role ?? Role.Member;
        const user = known ?? (await this.usersService.create(tx, orgId, null, { email, role, firstName, lastName }));
        const createdAt = this.clock.now();
        await this.users.insertIdentity(tx, { orgId, issuer, subject, userId: user.id, createdAt });
        return user;
      });
    } catch (error) {
      // A concurrent first sign-in of the same person has added the identity.
      const user = await this.users.findByIdentity(orgId, issuer, subject);
      if (user) return user;
      // A user with this address was added concurrently: link them.
      if (error instanceof ConflictError && !known) return this.firstSignIn(orgId, identity);
      throw error;
    }
  }

  private async seen(session: ConsoleSession): Promise<ConsoleSession> {
    const now = this.clock.now();
    if (now.getTime() - session.lastSeenAt.getTime() < SEEN_TO_MS) return session;
    await this.consoleSessions.updateLastSeen(session.orgId, session.id, now);
    return { ...session, lastSeenAt: now };
  }

  private async noteUse(user: UserEntity, apiKey: ApiKeyEntity | null): Promise<void> {
    const hour = startOfHour(this.clock.now());
    const isNoted = (at: Date | null | undefined) => at !== null && at !== undefined && at >= hour;
    if (isNoted(user.lastSignInAt) && (!apiKey || isNoted(apiKey.lastUsedAt))) return;
    await this.db.transaction(user.orgId, async (tx) => {
      await this.users.updateLastSignIn(tx, user.orgId, user.id, hour);
      if (apiKey) await this.apiKeys.updateLastUsed(tx, user.orgId, apiKey.id, hour);
    });
  }
}
