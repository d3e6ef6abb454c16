import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { newId } from '../../../common/new-id.js';
import type { Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import {
  ConflictError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
} from '../../../common/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/paging/paging.js';
import { Clock } from '../../../common/time/clock.js';
import { apiKeyPrefix, newApiKey } from '../../../common/access/api-key-format.js';
import { AppConfig } from '../../../config/app-config.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { type Actor, AuditLogService } from '../audit/audit-log.service.js';
import { UsersRepository } from '../users/users.repository.js';
import { ApiKeyEntity, type ApiKeyScope } from './api-key.entity.js';
import { ApiKeysRepository, type ListedApiKey } from './api-keys.repository.js';

export interface NewApiKey {
  name: string;
  userId: string;
  expiresAt: Date | null;
  /** Default: `full`. */
  scope?: ApiKeyScope;
  createdBy: string;
}

/** The only moment at which the key itself is known. */
export interface IssuedApiKey {
  entity: ApiKeyEntity;
  key: string;
}

/** API keys: each belongs to a user and has that user's current role. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly apiKeys: ApiKeysRepository,
    private readonly users: UsersRepository,
    private readonly auditLog: AuditLogService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** Own keys; owners see everybody's. */
  list(caller: Principal, page: PageRequest): Promise<Page<ListedApiKey>> {
    return this.apiKeys.listPage(caller.orgId, page, caller.role === Role.Owner ? null : caller.userId);
  }

  async create(
    tx: SqlTransaction,
    caller: Principal,
    input: { name: string; userId?: string; expiresAt?: string; scope?: ApiKeyScope },
  ): Promise<IssuedApiKey> {
    const userId = input.userId?.toLowerCase() ?? caller.userId;
    if (userId !== caller.userId && caller.role !== Role.Owner) {
      throw new ForbiddenError('Only an owner may create API keys for others.');
    }
    const expiresAt = input.expiresAt === undefined ? null : new Date(input.expiresAt);
    if (expiresAt && expiresAt <= this.clock.now()) {
      throw InvalidRequestError.ofField('expiresAt', 'must lie in the future');
    }
    const user = await this.users.findForUpdate(tx, caller.orgId, userId);
    if (!user) throw new NotFoundError('user', userId);
    if (user.deactivatedAt) throw new ConflictError('This user is deactivated and cannot have API keys.');
    await this.requireRoom(tx, caller.orgId, userId); // race-free: the user is locked
    const { name, scope } = input;
    return this.issue(tx, caller.orgId, caller, { name, userId, expiresAt, scope, createdBy: caller.userId });
  }

  /** The user has to exist. `key`: chosen by an operator. */
  async issue(
    tx: SqlTransaction,
    orgId: string,
    actor: Actor,
    input: NewApiKey,
    key = newApiKey(),
  ): Promise<IssuedApiKey> {
    const scope = input.scope ?? 'full';
    const entity: ApiKeyEntity = {
      orgId,
      id: newId(),
      ...input,
      scope,
      prefix: apiKeyPrefix(key),
      keyHash: hashApiKey(key, scope),
      createdAt: this.clock.now(),
      lastUsedAt: null,
    };
    await this.apiKeys.insert(tx, entity);
    this.auditLog.record(tx, orgId, actor, {
      action: 'api_key.created',
      target: entity.id,
      after: auditedState(entity),
    });
    tx.notify('credential_added', { orgId, userId: entity.userId });
    return { entity, key };
  }

  async revoke(caller: Principal, keyId: string): Promise<void> {
    const key = await this.apiKeys.findById(caller.orgId, keyId);
    const mayRevoke = key && (caller.role === Role.Owner || key.userId === caller.userId);
    if (!mayRevoke) throw new NotFoundError('API key', keyId);
    await this.delete(key, caller);
  }

  async delete(key: ApiKeyEntity, actor: Actor): Promise<void> {
    await this.db.transaction(key.orgId, async (tx) => {
      await this.apiKeys.delete(tx, key);
      this.auditLog.record(tx, key.orgId, actor, {
        action: 'api_key.revoked',
        target: key.id,
        before: auditedState(key),
      });
      tx.notify('credentials_changed', { orgId: key.orgId, userId: key.userId });
    });
  }

  private async requireRoom(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    const { maxApiKeysPerUser } = this.config.bounds;
    if ((await this.apiKeys.countOfUser(tx, orgId, userId)) < maxApiKeysPerUser) return;
    throw new ConflictError(`A user may have ${maxApiKeysPerUser} API keys (MAX_API_KEYS_PER_USER); revoke one first.`);
  }
}

function auditedState({ name, userId, prefix, expiresAt, scope }: ApiKeyEntity): object {
  return { name, userId, prefix, expiresAt, scope };
}

/**
 * A plain hash suffices for 256 random bits. The hash of a limited key includes its scope: a release that knows no scopes
 * does not find the key, instead of taking it for a full one.
 */
export function hashApiKey(key: string, scope: ApiKeyScope = 'full'): Buffer {
  return createHash('sha256')
    .update(scope === 'full' ? key : `${scope} ${key}`)
    .digest();
}
